import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import { Command, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { countRome, question, rowsTool } from "./large-outputs.js";
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

describe("L1: without a thread id", () => {
  it("drills into the output of an earlier run whose messages are kept as JSON", async () => {
    const run = agent();
    const { messages: first } = await run(question);
    const kept = JSON.stringify(mapChatMessagesToStoredMessages(first));
    const read = mapStoredMessagesToChatMessages(JSON.parse(kept) as StoredMessage[]);
    const { messages } = await run({ messages: [...read, ...question.messages] });
    expect(messages.at(-1)?.text).toMatch(/^400\n/);
  });

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
