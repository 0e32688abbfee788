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

const fetchRows = calling("list_rows");
/** The first question fetches the rows, the second counts those that are Rome's. */
const script: readonly ScriptedTurn[] = [
  (messages) => (isFirst(messages) ? fetchRows : countRome(messages)),
  (messages) => (isFirst(messages) ? "Stored." : (messages.at(-1)?.text ?? "")),
];

function isFirst(messages: readonly BaseMessage[]): boolean {
  return messages.filter(({ type }) => type === "human").length === 1;
}

describe("L1: without a thread id", () => {
  it("drills into the output of an earlier run whose messages are kept as JSON", async () => {
    const agent = agentOf(script, [rowsTool()], { offloader });
    const { messages: first } = await agent.invoke(question);
    const kept = JSON.stringify(mapChatMessagesToStoredMessages(first));
    const read = mapStoredMessagesToChatMessages(JSON.parse(kept) as StoredMessage[]);
    const { messages } = await agent.invoke({ messages: [...read, ...question.messages] });
    expect(messages.at(-1)?.text).toMatch(/^400\n/);
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
