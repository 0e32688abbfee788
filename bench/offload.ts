import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ToolCall, ToolMessage } from "@langchain/core/messages";
import { tool } from "langchain";

import { createOffloader, fileStore, offloadMiddleware } from "../src/index.js";
import type { BenchRow } from "./row.js";

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** What the walk costs: nothing for small outputs, less than a plain write for large ones. */
export async function benchOffload(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "offload-bench-"));
  try {
    return [
      await passThrough(),
      await large(folder, 1, 15, { atMostMs: 18 }),
      await large(folder, 10, 7),
      await memory(folder, 10),
      await large(folder, 100, 3),
      await memory(folder, 100),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The middleware around a tool with 1 KB of output, against the tool alone. */
async function passThrough(): Promise<BenchRow> {
  const kilobyte = JSON.stringify({
    rows: Array.from({ length: 16 }, (_, id) => ({
      id,
      city: "Rome",
      size: id * 7,
      note: "as it was before",
    })),
  }).slice(0, 1024);
  const subject = tool(() => kilobyte, { name: "subject", description: "1 KB." });
  const { wrapToolCall } = offloadMiddleware();
  if (wrapToolCall === undefined) throw new Error("The middleware wraps no tool calls.");
  const request = {
    toolCall: { id: "call_1", name: "subject", args: {}, type: "tool_call" },
    tool: subject,
    state: { messages: [] },
    runtime: { configurable: { thread_id: "bench" } },
  } as unknown as Parameters<typeof wrapToolCall>[0];
  const call: ToolCall = { type: "tool_call", id: "call_1", name: "subject", args: {} };
  const handler = async (): Promise<ToolMessage> => {
    const message: unknown = await subject.invoke(call);
    if (!ToolMessage.isInstance(message)) throw new Error("No tool message.");
    return message;
  };
  const bare: number[] = [];
  const wrapped: number[] = [];
  for (let round = 0; round < 4000; round += 1) {
    const start = performance.now();
    await handler();
    const between = performance.now();
    await wrapToolCall(request, handler);
    const end = performance.now();
    if (round < 1000) continue;
    bare.push(between - start);
    wrapped.push(end - between);
  }
  const overhead = (median(wrapped) - median(bare)) * 1000;
  return {
    group: "offload",
    name: "pass-through of 1 KB, overhead",
    ours: `${overhead.toFixed(1)} µs`,
    other: `${(median(bare) * 1000).toFixed(1)} µs the bare tool call`,
    ratio: `${(median(wrapped) / median(bare)).toFixed(2)}x`,
    goal: "at most 12 µs over the bare call",
    met: overhead <= 12,
  };
}

/** The whole walk on JSON text, against parse, stringify each record, write. */
async function large(
  folder: string,
  megabytes: number,
  rounds: number,
  { atMostMs }: { readonly atMostMs?: number } = {},
): Promise<BenchRow> {
  const text = jsonText(megabytes);
  const offloader = createOffloader({ store: fileStore({ directory: folder }) });
  const ours: number[] = [];
  const other: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    globalThis.gc?.();
    const start = performance.now();
    const result = await offloader.offload({ toolName: "search", value: text, sessionId: "bench" });
    const between = performance.now();
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    await offloader.store.delete(result.storedArtifact.id, result.storedArtifact.scope);
    globalThis.gc?.();
    const restart = performance.now();
    const lines = (JSON.parse(text) as { results: unknown[] }).results.map(
      (record) => `${JSON.stringify(record)}\n`,
    );
    writeFileSync(join(folder, "plain"), lines.join(""));
    const end = performance.now();
    if (round < rounds / 3) continue;
    ours.push(between - start);
    other.push(end - restart);
  }
  await offloader.close();
  const ratio = median(other) / median(ours);
  return {
    group: "offload",
    name: `offload ${megabytes} MB of JSON text`,
    ours: ms(median(ours)),
    other: `${ms(median(other))} parse, stringify, write`,
    ratio: `${ratio.toFixed(2)}x`,
    goal:
      atMostMs === undefined ? "at least 3 times faster" : `at most ${atMostMs} ms, its facts too`,
    met: atMostMs === undefined ? ratio >= 3 : median(ours) <= atMostMs,
  };
}

/** Memory above the input while it is offloaded, sampled every few milliseconds. */
async function memory(folder: string, megabytes: number): Promise<BenchRow> {
  const text = jsonText(megabytes);
  const offloader = createOffloader({ store: fileStore({ directory: folder }) });
  await offloader.offload({ toolName: "search", value: jsonText(1), sessionId: "bench" });
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  globalThis.gc?.();
  const before = used();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, used());
  }, 2);
  const result = await offloader.offload({ toolName: "search", value: text, sessionId: "bench" });
  peak = Math.max(peak, used());
  clearInterval(timer);
  await offloader.close();
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  const share = (peak - before) / text.length;
  return {
    group: "offload",
    name: `memory above the input, ${megabytes} MB`,
    ours: `${((peak - before) / 1e6).toFixed(0)} MB`,
    other: `${(text.length / 1e6).toFixed(0)} MB the input`,
    ratio: `${share.toFixed(2)}x`,
    goal: "at most 1.2 times the input",
    met: share <= 1.2,
  };
}

function jsonText(megabytes: number): string {
  const results: unknown[] = [];
  for (let length = 0, id = 0; length < megabytes * 1e6; id += 1) {
    const record = {
      id: `mem_${id}`,
      title: `Decision ${id} about the ${["cache", "queue", "index"][id % 3]}`,
      namespace: ["_semantic/decisions", "_episodic/incidents", "_procedural/runbooks"][id % 3],
      votes: id % 100,
      content:
        'A record as a search API returns it, with "quotes", a path C:\\temp and some prose. '.repeat(
          1 + (id % 8),
        ),
      tags: ["architecture", `t${id % 17}`],
    };
    results.push(record);
    length += JSON.stringify(record).length + 1;
  }
  const text = JSON.stringify({ total: results.length, results, next: null });
  // A string that is one piece in memory, as a tool's answer is once it was read.
  return Buffer.from(text).toString();
}
