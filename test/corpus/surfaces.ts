import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";

import { handWrittenGraph } from "../adapters/large-outputs.js";
import {
  createDrillInTools,
  type Offloader,
  offloadMiddleware,
  offloadNode,
  offloadToolNode,
  scriptedModel,
  type ScriptedTurn,
  withOffload,
} from "./entries.js";
import { THREAD } from "./rig.js";

/** What runs a script with tools, and what the model of it was shown. */
interface Run {
  readonly model: ReturnType<typeof scriptedModel>;
  readonly invoke: (input: object, config?: object) => Promise<{ messages: BaseMessage[] }>;
}

export type Surface = (
  offloader: Offloader,
  tools: readonly StructuredToolInterface[],
  turns: readonly ScriptedTurn[],
) => Run;

const wrapped =
  (trace: "original" | "descriptor"): Surface =>
  (offloader, tools, turns) => {
    const model = scriptedModel(turns);
    const own = tools.map((tool) => withOffload(tool, { offloader, trace }));
    const agent = createAgent({ model, tools: [...own, ...createDrillInTools(offloader)] });
    return { model, invoke: (input, config) => agent.invoke(input as never, config) };
  };

/** All that an output of a tool can run under. */
export const SURFACES: Readonly<Record<string, Surface>> = {
  "an agent": (offloader, tools, turns) => {
    const model = scriptedModel(turns);
    const middleware = [offloadMiddleware({ offloader })];
    const agent = createAgent({ model, tools: [...tools], middleware });
    return { model, invoke: (input, config) => agent.invoke(input as never, config) };
  },
  "a tool node": (offloader, tools, turns) => {
    const model = scriptedModel(turns);
    const node = offloadToolNode([...tools], { offloader });
    const graph = handWrittenGraph(model, node.tools, node).compile();
    return { model, invoke: (input, config) => graph.invoke(input, config) };
  },
  "a node of one's own": (offloader, tools, turns) => {
    const model = scriptedModel(turns);
    const node = offloadNode(new ToolNode([...tools]), { offloader });
    const graph = handWrittenGraph(model, [], node).compile();
    return { model, invoke: (input, config) => graph.invoke(input, config) };
  },
  "a wrapped tool": wrapped("original"),
  "a wrapped tool, its trace too": wrapped("descriptor"),
};

export const question: { messages: HumanMessage[] } = {
  messages: [new HumanMessage({ content: "Go.", id: "question" })],
};
export const thread: { configurable: { thread_id: string } } = {
  configurable: { thread_id: THREAD },
};

/** The call of one tool, or of several. */
export function calls(
  ...names: readonly (string | readonly [string, Record<string, unknown>])[]
): ScriptedTurn {
  const pairs = names.map((name) => (typeof name === "string" ? ([name, {}] as const) : name));
  return { toolCalls: pairs.map(([name, args]) => ({ name, args })) };
}

/** Answers the last descriptor by a call of a drill-in tool on its output. */
export function drill(name: string, args: Record<string, unknown>): ScriptedTurn {
  return (messages) => ({ toolCalls: [{ name, args: { id: idIn(messages), ...args } }] });
}

/** The `file_path` of the first descriptor of a conversation. */
function idIn(messages: readonly BaseMessage[]): string {
  for (const { text } of messages) {
    const id = /"file_path":"([^"]+)"/.exec(text)?.[1];
    if (id !== undefined) return id;
  }
  return "none";
}

/** What is told of messages: of those of tools, and of people, all that a model, a trace or a checkpoint sees. */
export function told(messages: readonly BaseMessage[]): unknown {
  return messages
    .filter(({ type, id }) => type !== "ai" && id !== "question")
    .map((message) => ({
      id: message.id,
      name: message.name,
      content: message.content,
      ...(ToolMessage.isInstance(message) && {
        status: message.status,
        artifact: message.artifact,
        toolCallId: message.tool_call_id,
      }),
      ...(Object.keys(message.response_metadata).length > 0 && {
        metadata: message.response_metadata,
      }),
    }));
}
