import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { createOffloader, fileStore, offloadMiddleware } from "../src/index.js";
import { scriptedModel } from "../src/testing/index.js";
import { type BenchRow, inFolder, MEGABYTE, textOf } from "./harness.js";

const CALLS = 50;

/** Bytes in the newest checkpoint of a thread after 50 tool calls of 1 MB each, in one turn. */
export async function benchCheckpoint(): Promise<BenchRow[]> {
  return await inFolder(async (directory) => {
    const offloader = createOffloader({ store: fileStore({ directory }) });
    const ours = await checkpointBytes({ middleware: [offloadMiddleware({ offloader })] });
    await offloader.close();
    const plain = await checkpointBytes({});
    const evicted = await checkpointBytes({}, createDeepAgent);
    return [row("no plugin", ours, plain), row("deepagents' own eviction", ours, evicted)];
  });
}

interface Runnable {
  invoke(input: { messages: HumanMessage[] }, config: object): Promise<unknown>;
}

async function checkpointBytes(
  given: { readonly middleware?: [ReturnType<typeof offloadMiddleware>] },
  create: (parts: never) => unknown = createAgent,
): Promise<number> {
  const record = (id: number): string =>
    JSON.stringify({
      id,
      title: `Record ${id}`,
      city: "Rome",
      note: "As it was before. ".repeat(5),
    });
  const text = `{"results":[${textOf(MEGABYTE, ",", record)}]}`;
  const search = tool(() => text, { name: "search", description: "1 MB.", schema: z.object({}) });
  const toolCalls = Array.from({ length: CALLS }, (_, index) => ({
    name: "search",
    args: {},
    id: `call_${index}`,
  }));
  const checkpointer = new MemorySaver();
  const model = scriptedModel([{ toolCalls }, "All read."]);
  const agent = create({ model, tools: [search], checkpointer, ...given } as never) as Runnable;
  const config = { configurable: { thread_id: "bench" } };
  await agent.invoke({ messages: [new HumanMessage("Read it all.")] }, config);
  const newest = await checkpointer.getTuple(config);
  if (newest === undefined) throw new Error("There is no checkpoint.");
  const [, bytes] = await checkpointer.serde.dumpsTyped(newest.checkpoint);
  return bytes.length;
}

function row(than: string, ours: number, other: number): BenchRow {
  const ratio = other / ours;
  return {
    group: "checkpoint",
    name: `checkpoint after ${CALLS} calls of 1 MB, against ${than}`,
    ours: size(ours),
    other: `${size(other)} ${than}`,
    ratio: `${ratio.toFixed(0)}x`,
    goal: "at most a hundredth of it",
    met: ratio >= 100,
  };
}

function size(bytes: number): string {
  return bytes < MEGABYTE ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
