import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";

import type { CodeHost } from "../../../src/plugins/code/request.js";
import { hostOf, recordsBody, resultOf, returnOf, startCode, bodyOf } from "./code-runs.js";
import { newDirectory } from "../../after-file.js";

const engine = startCode({ maxMemoryMb: 32 }, { timeoutMs: 400 });
afterAll(() => engine.close());

const LOOPS = [
  ["a loop", "while (1);"],
  ["a loop in a finally", "try { while (1); } finally { while (1); }"],
  ["a trap of a proxy", "new Proxy({}, { get() { while (1); } }).a"],
  ["the pattern ^(a+)+$", "/^(a+)+$/.test('a'.repeat(40) + 'b')"],
  ["promises that make promises", "const f = () => Promise.resolve().then(f); await f()"],
  ["what a value is told by", "return { toJSON() { while (1); } }"],
  ["a stack", "Error.prepareStackTrace = () => { while (1); }; nothing.here"],
  ["an iterator that is saved", "outputs.save('x', (function* () { for (;;) yield 1 })())"],
  ["an output that is read without end", "for (;;) for (const r of outputs.open('r')) ;"],
  ["what is caught and tried again", "for (;;) { try { outputs.open('other') } catch (e) {} }"],
] as const;

describe("the time of a run", () => {
  it.each<readonly [string, string]>([
    ...LOOPS,
    // What the engine inside never asks about: only the end of the worker helps.
    ["a long text of nothing", "new Array(1e9) + ''"],
    [
      "a search",
      "const s = 'x'.repeat(1e7); for (let i = 0; i < 1e9; i += 1) s.indexOf('xy' + i % 2)",
    ],
  ])("ends %s, and the next run goes on", async (name, code) => {
    const host = hostOf({ r: recordsBody([{ a: 1 }]) });
    const { timedOut, outOfMemory, error } = await resultOf(engine, code, host);
    // A chain of promises may fill the memory first, and a long text be an error.
    const isRefused = name.startsWith("a long") && error !== undefined;
    expect(timedOut || outOfMemory || isRefused).toBe(true);
    expect(await returnOf(engine, "return 1 + 1")).toBe(2);
  });

  it("keeps what was printed before it was over", async () => {
    const code = "for (const r of outputs.open('r')) print(r.a); while (1);";
    const host = hostOf({ r: recordsBody([{ a: 1 }, { a: 2 }]) });
    const told = { printed: { text: "1\n2" }, timedOut: true };
    expect(await resultOf(engine, code, host)).toMatchObject(told);
  });

  it("is none of a run that waits for a tool: whoever calls ends it", async () => {
    const short = startCode({}, { timeoutMs: 1000 });
    const stop = new AbortController();
    const call = async (): Promise<never> => {
      await setTimeout(2_500);
      stop.abort(new Error("enough"));
      return await new Promise<never>(() => {});
    };
    const host = hostOf({}, { tools: { names: ["wait"], call } });
    const request = { code: "await tools.wait()", host, maxOutputBytes: 1_000 };
    await expect(short.run(request, stop.signal)).rejects.toThrow("enough");
    await short.close();
  });
});

const KILLS = 120;
const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

const PROGRAMS = [
  "for (;;);",
  "const all = []; for (;;) { all.push(new Array(1000).fill(1)); if (all.length > 3000) all.length = 0; }",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "for (;;) for (const r of outputs.open('r')) ;",
  "for (;;) [...outputs.lines('r')]",
  "outputs.save('x', (function* () { for (;;) yield { a: 'x'.repeat(1000) } })())",
  "for (;;) print('x'.repeat(1000))",
  "for (;;) await Promise.all(Array.from({ length: 20 }, () => tools.wait()))",
];

function openFiles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}

it(`leaves nothing after ${KILLS} kills at random moments`, async () => {
  const path = join(newDirectory(), "r.jsonl");
  const line = `${JSON.stringify({ id: 1, text: "x".repeat(400) })}\n`;
  await writeFile(path, line.repeat(5000), { mode: 0o600 });
  const source = { path, start: 0, end: line.length * 5000 };
  const body = bodyOf("records", "", { source });
  let stores = 0;
  const host: CodeHost = {
    open: async () => body,
    async keep({ pieces }) {
      stores += 1;
      try {
        for await (const _ of pieces) await setTimeout(1);
        return "kept";
      } finally {
        stores -= 1;
      }
    },
    tools: {
      names: ["wait"],
      call: async () => {
        await setTimeout(2);
        return { json: "1" };
      },
    },
  };
  const engine = startCode({ maxMemoryMb: 32 });
  expect(await returnOf(engine, "return 1 + 1", host)).toBe(2);
  const before = { files: openFiles(), bytes: process.memoryUsage.rss() };
  const stop = new Error("stop");
  for (let kill = 0; kill < KILLS; kill += 1) {
    const aborting = new AbortController();
    const code = PROGRAMS[kill % PROGRAMS.length] ?? "";
    const running = engine.run({ code, host, maxOutputBytes: 10_000 }, aborting.signal);
    const ended = running.catch((error: unknown) => error);
    await setTimeout((kill * 7919) % 60);
    aborting.abort(stop);
    expect(await ended).toBe(stop);
  }
  expect(await returnOf(engine, "return 1 + 1", host)).toBe(2);
  await engine.close();
  await expect.poll(() => stores).toBe(0);
  await expect.poll(openFiles).toBeLessThanOrEqual(before.files + 2);
  expect(process.memoryUsage.rss() - before.bytes).toBeLessThan(MAX_GROWTH_BYTES);
});
