import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

import { ageMessages } from "../../src/adapters/langchain/aging/index.js";
import { createOffloader, memoryStore } from "../../src/index.js";
import { atMost, type BenchRow, processorUs, row } from "../harness.js";
import { aging } from "../../src/adapters/langchain/aging/index.js";

const MESSAGES = 300;
const CALLS = 2_000;
const GOAL_MS = 0.2;

/** What a model call costs in which nothing leaves. */
export async function overheadRow(): Promise<BenchRow> {
  const offloader = createOffloader({
    store: memoryStore(),
    plugins: [aging({ trigger: { tokens: 10 ** 9 } })],
  });
  const config = { configurable: { thread_id: "bench" } };
  const messages = conversation();
  for (let call = 0; call < CALLS; call += 1) await ageMessages(offloader, messages, config);
  const before = processorUs();
  for (let call = 0; call < CALLS; call += 1) await ageMessages(offloader, messages, config);
  const ms = (processorUs() - before) / 1000 / CALLS;
  await offloader.close();
  return row({
    group: "aging",
    name: `a model call that ages nothing, ${MESSAGES} messages`,
    ours: `${ms.toFixed(3)} ms`,
    ...atMost(ms, GOAL_MS, "ms"),
  });
}

function conversation(): BaseMessage[] {
  const turns = Array.from({ length: MESSAGES / 2 }, (_, turn) => [
    new AIMessage({
      id: `answer ${turn}`,
      content: "",
      tool_calls: [{ id: `call ${turn}`, name: "look", args: { turn } }],
    }),
    new ToolMessage({
      id: `result ${turn}`,
      tool_call_id: `call ${turn}`,
      name: "look",
      content: "lorem ipsum ".repeat(300),
    }),
  ]);
  return [new HumanMessage({ id: "human", content: "Look." }), ...turns.flat()];
}
