import { setTimeout } from "node:timers/promises";

import { startEngine } from "../../src/plugins/code/engine.js";
import type { CodeBody, CodeHost } from "../../src/plugins/code/request.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../src/core/engines/limits.js";
import { longestDelay } from "../longest-delay.js";
import type { BenchRow } from "../row.js";

const GOAL_MS = 20;
const LIMITS = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 1000 };
const RECORDS = 20_000;

/** What code does that wants to be felt outside: loops, memory, floods of messages, and answers that are hard to tell. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "a loop without end": "for (;;);",
  "promises without end": "const next = () => Promise.resolve().then(next); await next()",
  "buffers without end": "const all = []; for (;;) all.push(new ArrayBuffer(1e6))",
  "a regular expression without end": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "a recursion without end": "const f = () => f() + 1; f()",
  "a flood of printed lines": "for (let n = 0; ; n += 1) print('line ' + n, 'x'.repeat(1000))",
  "a flood of outputs": "for (;;) outputs.save('n', 'y'.repeat(2e6))",
  "outputs opened in a loop": "for (;;) { for (const r of outputs.open('r')) break }",
  "an error of megabytes": "throw new Error('e'.repeat(2 ** 24))",
  "a value of megabytes": "return Array.from({ length: 3e5 }, (_, n) => 'value ' + n)",
  "a getter on its result": "return { get a() { for (;;); } }",
};

/** How late timers of this process are at most while code runs that is out for it. */
export async function hostileRows(): Promise<readonly BenchRow[]> {
  const engine = startEngine(LIMITS);
  const host = hostOfRecords();
  try {
    await engine.run({ code: "1 + 1", host, maxOutputBytes: 100_000 });
    const idleMs = await longestDelay(() => setTimeout(5000));
    let longest = { name: "", delayMs: 0 };
    for (const [name, code] of Object.entries(PROGRAMS)) {
      const delayMs = await longestDelay(() => engine.run({ code, host, maxOutputBytes: 100_000 }));
      if (delayMs > longest.delayMs) longest = { name, delayMs };
    }
    return [
      {
        group: "code",
        name: `event loop's longest delay beside ${Object.keys(PROGRAMS).length} hostile programs`,
        ours: `${longest.delayMs.toFixed(1)} ms (${longest.name})`,
        other: `${idleMs.toFixed(1)} ms beside nothing`,
        ratio: "-",
        goal: `at most ${GOAL_MS} ms`,
        met: longest.delayMs <= GOAL_MS,
      },
    ];
  } finally {
    await engine.close();
  }
}

/** Takes whatever it is given, and gives records. */
function hostOfRecords(): CodeHost {
  const lines = Array.from({ length: RECORDS }, (_, id) => `{"id":${id},"city":"Rome"}\n`);
  const source = { bytes: Buffer.from(lines.join("")) };
  const body: CodeBody = { id: "r", layout: "records", sets: undefined, source };
  return {
    open: async () => body,
    async keep({ pieces }) {
      const reading = pieces[Symbol.asyncIterator]();
      while ((await reading.next()).done !== true);
      return "kept";
    },
  };
}
