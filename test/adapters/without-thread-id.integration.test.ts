import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import { Command, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import { createDrillInTools, offloadToolNode, withOffload } from "../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { countRome, handWrittenGraph, question, rowsTool } from "./large-outputs.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

/** Bugs.md L1: a conversation that its application keeps, and no `thread_id` anywhere. */
const offloader = sharedOffloader();

type Messages = { readonly messages: BaseMessage[] };
type Run = (input: { readonly messages: readonly unknown[] }) => Promise<Messages>;

const fetchRows: ScriptedTurn = calling("list_rows");
/** The first question fetches the rows, the second counts those that are Rome's. */
const script: readonly ScriptedTurn[] = [
  (messages) => (isFirst(messages) ? { toolCalls: [fetchOf()] } : countRome(messages)),
  (messages) => (isFirst(messages) ? "Stored." : (messages.at(-1)?.text ?? "")),
];
const fetchOf = (): { name: string; args: Record<string, unknown> } => ({
  name: "list_rows",
  args: {},
});

function isFirst(messages: readonly BaseMessage[]): boolean {
  return messages.filter(({ type }) => type === "human").length === 1;
}

function agent(turns: readonly ScriptedTurn[] = script): Run {
  const made = agentOf(turns, [rowsTool()], { offloader });
  return async (input) => await made.invoke(input);
}

function graphOf(tools: readonly unknown[], node: unknown): Run {
  const graph = handWrittenGraph(scriptedModel(script), tools, node).compile();
  return async (input) => await graph.invoke(input as never);
}

const runs: Readonly<Record<string, () => Run>> = {
  "an agent with the middleware": () => agent(),
  "an agent in a node of a graph": () => {
    const inner = agent();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("ask", async (state) => await inner(state))
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile();
    return async (input) => await graph.invoke(input as never);
  },
  "a graph with offloadToolNode": () => {
    const node = offloadToolNode([rowsTool()], { offloader });
    return graphOf(node.tools, node);
  },
  "a graph with withOffload": () => {
    const tools = [withOffload(rowsTool(), { offloader }), ...createDrillInTools(offloader)];
    return graphOf(tools, offloadToolNode(tools, { offloader }));
  },
};

/** What an application does with the messages between two runs. */
const keeping: Readonly<Record<string, (messages: BaseMessage[]) => BaseMessage[]>> = {
  "as they are": (messages) => messages,
  "as JSON": (messages) =>
    mapStoredMessagesToChatMessages(
      JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages))) as StoredMessage[],
    ),
};

describe.each(Object.entries(runs))("L1: without a thread id, %s", (_, make) => {
  it.each(Object.entries(keeping))(
    "drills into the output of an earlier run whose messages are kept %s",
    async (_how, keep) => {
      const run = make();
      const first = await run(question);
      const again = [...keep(first.messages), { role: "user", content: "And in Rome?" }];
      const { messages } = await run({ messages: again });
      expect(messages.at(-1)?.text).toMatch(/^400\n/);
    },
  );
});

describe("L1: without a thread id", () => {
  it("reaches both the outputs of earlier runs and those of this one", async () => {
    const run = agent([
      fetchRows,
      (messages) => (isFirst(messages) ? "Stored." : withBoth(messages)),
      (messages) => messages.at(-1)?.text ?? "",
    ]);
    const { messages: kept } = await run(question);
    const { messages } = await run({ messages: [...kept, ...question.messages] });
    expect(messages.at(-1)?.text).toMatch(/^1600\n/);
  });

  it("works after a hand-off to another agent by a command to the parent graph", async () => {
    const handOff = toolNamed(
      "hand_off",
      (_input, config) =>
        new Command({
          goto: "second",
          graph: Command.PARENT,
          update: { messages: (config as { state: Messages }).state.messages },
        }) as never,
    );
    const made = (turns: readonly ScriptedTurn[]): ReturnType<typeof agentOf> =>
      agentOf(turns, [rowsTool(), handOff], { offloader });
    const first = made([fetchRows, calling("hand_off")]);
    const second = made([fetchRows, "never", countRome, (all) => all.at(-1)?.text ?? ""]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("first", first.graph as never, { ends: ["second"] })
      .addNode("second", second.graph as never)
      .addEdge(START, "first")
      .compile();
    const { messages } = await graph.invoke(question);
    expect(messages.at(-1)?.text).toMatch(/^400\n/);
  });
});

/** One call over the rows of the first run and those of this one. */
function withBoth(messages: readonly BaseMessage[]): ReturnType<typeof countRome> {
  const [one, other] = messages.flatMap((message) =>
    message.type === "tool" ? (/[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(message.text)?.[0] ?? []) : [],
  );
  const args = { id: one, with: { other }, filter: "length + ($other | length)", slurp: true };
  return calling("jq_tool_output", args);
}
