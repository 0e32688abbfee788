import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { HumanMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createDeepAgent } from "deepagents";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { createOffloader, fileStore, offloadMiddleware } from "../src/index.js";
import { scriptedModel } from "../src/testing/index.js";
import type { BenchRow } from "./row.js";

const CALLS = 50;
const MEGABYTE = 1_000_000;

/** Bytes in the newest checkpoint of a thread after 50 tool calls of 1 MB each, in one turn. */
export async function benchCheckpoint(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "offload-bench-"));
  const offloader = createOffloader({ store: fileStore({ directory: folder }) });
  try {
    const ours = await checkpointBytes((checkpointer) =>
      createAgent({ ...parts(), checkpointer, middleware: [offloadMiddleware({ offloader })] }),
    );
    const plain = await checkpointBytes((checkpointer) =>
      createAgent({ ...parts(), checkpointer }),
    );
    const evicted = await checkpointBytes((checkpointer) =>
      createDeepAgent({ ...parts(), checkpointer }),
    );
    return [row("no plugin", ours, plain), row("deepagents' own eviction", ours, evicted)];
  } finally {
    await offloader.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function parts(): { model: ReturnType<typeof scriptedModel>; tools: StructuredTool[] } {
  const text = jsonText(MEGABYTE);
  const search = tool(() => text, { name: "search", description: "1 MB.", schema: z.object({}) });
  const toolCalls = Array.from({ length: CALLS }, (_, index) => ({
    name: "search",
    args: {},
    id: `call_${index}`,
  }));
  return {
    model: scriptedModel([{ toolCalls }, "All read."]),
    tools: [search],
  };
}

interface Runnable {
  invoke(input: { messages: HumanMessage[] }, config: object): Promise<unknown>;
}

async function checkpointBytes(build: (checkpointer: MemorySaver) => unknown): Promise<number> {
  const checkpointer = new MemorySaver();
  const agent = build(checkpointer) as Runnable;
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

function jsonText(bytes: number): string {
  const results: unknown[] = [];
  for (let length = 0, id = 0; length < bytes; id += 1) {
    const record = {
      id,
      title: `Record ${id}`,
      city: "Rome",
      note: "As it was before. ".repeat(5),
    };
    results.push(record);
    length += JSON.stringify(record).length + 1;
  }
  return JSON.stringify({ results });
}
