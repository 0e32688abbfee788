import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { references } from "../../../../src/adapters/langchain/references/references.js";
import {
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
  type StoredArtifact,
} from "../../../../src/index.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { type Args, listRows, receiver, storedIn } from "../../receiving-tool.js";
import { agentOf, calling, thread } from "../../agents.js";

type Receiving = ReturnType<typeof receiver>;

/** What an agent has beside its tool that lists rows. */
export interface Around {
  readonly receiving?: Receiving;
  /** In place of its tool that lists rows, by the same name. */
  readonly listing?: StructuredTool;
  readonly options?: OffloadOptions;
  /** Middleware on either side. */
  readonly before?: readonly AgentMiddleware[];
  readonly after?: readonly AgentMiddleware[];
  readonly tools?: readonly StructuredTool[];
}

/** An agent, and what its model and its listener see. */
interface UsualAgent extends Receiving {
  readonly offloader: Offloader;
  readonly events: readonly OffloadEvent[];
  readonly own: readonly StructuredTool[];
  invoke(input: unknown, id: string): Promise<{ readonly messages: BaseMessage[] }>;
  run(id?: string): Promise<BaseMessage[]>;
  /** The tools that the model was given last. */
  shown(): readonly unknown[];
  definitions(): object[];
}

export const question: { readonly messages: HumanMessage[] } = {
  messages: [new HumanMessage("go")],
};

export const askedOf = (state: unknown): { args: Args; description: string } =>
  (
    state as {
      __interrupt__: { value: { actionRequests: { args: Args; description: string }[] } }[];
    }
  ).__interrupt__[0]!.value.actionRequests[0]!;

/** A tool as a model is told of it. */
export const definitionOf = ({ name, description, schema }: StructuredTool): object => ({
  name,
  description,
  parameters: toJsonSchema(schema as never),
});

/** Makes agents that list the rows and then make a call with what they were stored as; they are closed after each test. */
export function usualAgents(): (
  args: (stored: StoredArtifact) => Args,
  around?: Around,
) => UsualAgent {
  const opened = openedOffloaders();
  return (args, around = {}) => {
    const { receiving = receiver(), listing = listRows, options, before = [] } = around;
    const { offloader, events } = opened({ plugins: [references()], ...options });
    let shown: readonly unknown[] = [];
    const last = createMiddleware({
      name: "last",
      wrapModelCall(request, handler) {
        shown = request.tools;
        return handler(request);
      },
    });
    const own = [listing, receiving.sendReport, ...(around.tools ?? [])];
    const agent = agentOf(
      [calling("list_rows"), (given) => calling("send_report", args(storedIn(given))), "done"],
      own,
      { offloader },
      { before, after: [...(around.after ?? []), last], checkpointer: new MemorySaver() },
    );
    return {
      ...receiving,
      offloader,
      events,
      own,
      invoke: (input, id) => agent.invoke(input, thread(id)),
      run: async (id = "t") => (await agent.invoke(question, thread(id))).messages,
      shown: () => shown,
      definitions: () => shown.map((one) => definitionOf(one as StructuredTool)),
    };
  };
}
