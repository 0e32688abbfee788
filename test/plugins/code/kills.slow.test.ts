import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { expect, it } from "vitest";

import type { CodeHost } from "../../../src/plugins/code/request.js";
import { bodyOf, returnOf, startCode } from "./code-runs.js";

const KILLS = 120;
const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

const PROGRAMS = [
  "for (;;);",
  "const all = []; for (;;) { all.push(new Array(1000).fill(1)); if (all.length > 3000) all.length = 0; }",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "for (;;) for (const r of outputs.open('r')) ;",
  "for (;;) for (const r of outputs.open('r', ['id'])) ;",
  "for (;;) [...outputs.lines('r')]",
  "outputs.save('x', (function* () { for (;;) yield { a: 'x'.repeat(1000) } })())",
  "for (;;) print('x'.repeat(1000))",
  "for (;;) await tools.wait()",
  "for (;;) await Promise.all(Array.from({ length: 20 }, () => tools.wait()))",
  "new Array(1e8).join()",
];

function openFiles(): number {
  return process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
}

it(`leaves nothing after ${KILLS} kills at random moments`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "code-kills-"));
  const path = join(folder, "r.jsonl");
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
    const ended = running.then(
      () => "done",
      (error: unknown) => error,
    );
    await setTimeout((kill * 7919) % 60);
    aborting.abort(stop);
    expect(await ended).toBe(stop);
  }
  expect(await returnOf(engine, "return 1 + 1", host)).toBe(2);
  await engine.close();
  await expect.poll(() => stores).toBe(0);
  await expect.poll(openFiles).toBeLessThanOrEqual(before.files + 2);
  expect(process.memoryUsage.rss() - before.bytes).toBeLessThan(MAX_GROWTH_BYTES);
  await rm(folder, { recursive: true });
});
