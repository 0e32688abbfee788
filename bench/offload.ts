import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { type ToolCall, ToolMessage } from "@langchain/core/messages";
import { tool } from "langchain";

import { createOffloader, fileStore, type Offloader, offloadMiddleware } from "../src/index.js";
import {
  atMost,
  type BenchRow,
  BUILT,
  figuresOfProcess,
  inFolder,
  inTurns,
  megabytes,
  ms,
  row,
  textOf,
  timeOf,
  median,
} from "./harness.js";

const GROUP = "offload";
const RUNS = { 1: 15, 10: 7, 100: 3 } as const;
type Size = keyof typeof RUNS;

/** What the pipeline costs: nothing for small outputs, less than a plain write for large ones. */
export async function benchOffload(): Promise<BenchRow[]> {
  return await inFolder(async (directory) => {
    const rows: BenchRow[] = [await passThrough()];
    const offloader = createOffloader({ store: fileStore({ directory }) });
    for (const size of [1, 10, 100] as const) {
      const text = jsonText(size);
      rows.push(await time(offloader, join(directory, "plain"), text, size));
      if (size > 1) rows.push(await memory(offloader, text, size));
    }
    await offloader.close();
    return rows;
  });
}

/** The middleware around a tool with 1 KB of output, against the tool alone. */
async function passThrough(): Promise<BenchRow> {
  const record = (id: number): string =>
    JSON.stringify({ id, city: "Rome", size: id * 7, note: "as it was before" });
  const kilobyte = textOf(1024, ",", record).slice(0, 1024);
  const subject = tool(() => kilobyte, { name: "subject", description: "1 KB." });
  const { wrapToolCall } = offloadMiddleware();
  if (wrapToolCall === undefined) throw new Error("The middleware wraps no tool calls.");
  const call: ToolCall = { type: "tool_call", id: "call_1", name: "subject", args: {} };
  const request = {
    toolCall: call,
    tool: subject,
    state: { messages: [] },
    runtime: { configurable: { thread_id: "bench" } },
  } as unknown as Parameters<typeof wrapToolCall>[0];
  const handler = async (): Promise<ToolMessage> => {
    const message: unknown = await subject.invoke(call);
    if (!ToolMessage.isInstance(message)) throw new Error("No tool message.");
    return message;
  };
  const bare: number[] = [];
  const wrapped: number[] = [];
  for (let round = 0; round < 4000; round += 1) {
    const times = [await timeOf(handler), await timeOf(() => wrapToolCall(request, handler))];
    if (round < 1000) continue;
    bare.push(times[0] ?? NaN);
    wrapped.push(times[1] ?? NaN);
  }
  const overhead = (median(wrapped) - median(bare)) * 1000;
  return row({
    group: GROUP,
    name: "pass-through of 1 KB, overhead",
    ours: `${overhead.toFixed(1)} µs`,
    other: `${(median(bare) * 1000).toFixed(1)} µs the bare tool call`,
    ratio: `${(median(wrapped) / median(bare)).toFixed(2)}x`,
    ...atMost(overhead, 12, "µs over the bare call"),
  });
}

async function offload(offloader: Offloader, value: string) {
  const result = await offloader.offload({ toolName: "search", value, sessionId: "bench" });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  return result.storedArtifact;
}

/** The whole pipeline on JSON text, against parse, stringify each record, write. */
async function time(
  offloader: Offloader,
  path: string,
  text: string,
  size: Size,
): Promise<BenchRow> {
  const [ours = NaN, other = NaN] = await inTurns(
    [
      async () => {
        const { id, sessionKey } = await offload(offloader, text);
        return () => offloader.store.delete(id, sessionKey);
      },
      () => {
        const { results } = JSON.parse(text) as { results: unknown[] };
        writeFileSync(path, results.map((record) => `${JSON.stringify(record)}\n`).join(""));
      },
    ],
    RUNS[size],
    { warmUps: Math.ceil(RUNS[size] / 3) },
  );
  return row({
    group: GROUP,
    name: `offload ${size} MB of JSON text`,
    ours: ms(ours),
    other: `${ms(other)} parse, stringify, write`,
    ratio: `${(other / ours).toFixed(2)}x`,
    ...(size === 1
      ? atMost(ours, 18, "ms, its facts too")
      : { goal: "at least 3 times faster", met: other / ours >= 3 }),
  });
}

/** Memory above the input while it is offloaded, sampled every few milliseconds. */
async function memory(offloader: Offloader, text: string, size: Size): Promise<BenchRow> {
  const used = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  globalThis.gc?.();
  const before = used();
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, used()));
  const timer = setInterval(look, 2);
  await offload(offloader, text);
  look();
  clearInterval(timer);
  const share = (peak - before) / text.length;
  return row({
    group: GROUP,
    name: `memory above the input, ${size} MB`,
    ours: megabytes(peak - before),
    other: `${megabytes(text.length)} the input`,
    ratio: `${share.toFixed(2)}x`,
    ...atMost(share, 1.2, "times the input"),
  });
}

function jsonText(size: Size): string {
  const record = (id: number): string =>
    JSON.stringify({
      id: `mem_${id}`,
      title: `Decision ${id} about the ${["cache", "queue", "index"][id % 3]}`,
      namespace: ["_semantic/decisions", "_episodic/incidents", "_procedural/runbooks"][id % 3],
      votes: id % 100,
      content:
        'A record as a search API returns it, with "quotes", a path C:\\temp and some prose. '.repeat(
          1 + (id % 8),
        ),
      tags: ["architecture", `t${id % 17}`],
    });
  return Buffer.from(`{"results":[${textOf(size * 1e6, ",", record)}],"next":null}`).toString();
}

const MANY = 1_000;
const MANY_SCRIPT = `
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
const [core, count] = process.argv.slice(1);
const { createOffloader, fileStore } = await import(core);
const directory = mkdtempSync(join(tmpdir(), "bench-many-at-once-"));
const offloader = createOffloader({ store: fileStore({ directory }) });
const rows = Array.from({ length: 6_000 }, (_, id) => ({ id, city: ["Rome", "Oslo", "Lima"][id % 3], votes: id % 100, note: "As a search returns it. ".repeat(1 + (id % 8)) }));
const template = Buffer.from(JSON.stringify([{ output: "000000" }, ...rows]));
const textOf = (output) => {
  template.write(String(output).padStart(6, "0"), template.indexOf("output") + 9);
  return template.toString("latin1");
};
const offload = async (value, turn) => {
  const { outcome } = await offloader.offload({ toolName: "search", value, sessionId: "bench" + (turn % 100) });
  if (outcome !== "offloaded") throw new Error(outcome);
};
try {
  const texts = Array.from({ length: Number(count) }, (_, output) => textOf(output));
  await offload(textOf(999_999), 0);
  globalThis.gc();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().rss); }, 50);
  const used = process.cpuUsage();
  const start = performance.now();
  await Promise.all(texts.map(offload));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(used);
  peak = Math.max(peak, process.memoryUsage().rss);
  clearInterval(timer);
  const restart = performance.now();
  await Promise.all(texts.map((text, turn) => writeFile(join(directory, "plain-" + turn), text)));
  console.log(JSON.stringify([seconds, peak - before, (performance.now() - restart) / 1000, (user + system) / 1e6]));
} finally {
  await offloader.close();
  rmSync(directory, { recursive: true, force: true });
}`;

/** A thousand agents of one process whose tools return at once, against writing the same texts to files. */
export function benchManyAtOnce(): Promise<BenchRow[]> {
  const args = [`${BUILT}core.js`, String(MANY)];
  const [seconds = NaN, bytes = NaN, plain = NaN, busy = NaN] = figuresOfProcess(
    MANY_SCRIPT,
    args,
    ["--expose-gc"],
  );
  const name = "1,000 outputs of 1 MB at once";
  return Promise.resolve([
    row({
      group: GROUP,
      name,
      ours: `${seconds.toFixed(1)} s, ${busy.toFixed(1)} of a processor`,
      other: `${plain.toFixed(1)} s fs.writeFile of each`,
      ratio: `${(seconds / plain).toFixed(1)}x`,
      ...atMost(seconds, 15, "s"),
    }),
    row({
      group: GROUP,
      name: `memory on top of ${name}`,
      ours: megabytes(bytes),
      ...atMost(bytes / 1e6, 400, "MB"),
    }),
  ]);
}
