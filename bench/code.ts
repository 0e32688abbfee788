import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { createJqEngine } from "../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../src/core/engines/limits.js";
import { startEngine } from "../src/plugins/code/engine.js";
import type { CodeBody, CodeEngine, CodeHost } from "../src/plugins/code/request.js";
import {
  atMost,
  type BenchRow,
  type DataFile,
  inFolder,
  inTurns,
  longestDelay,
  median,
  ms,
  row,
  timeOf,
  writeLines,
} from "./harness.js";

const GROUP = "code";
const LIMITS = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 600_000 };
const MAX_OUTPUT_BYTES = 100_000;
const GOAL_DELAY_MS = 20;

const WHOLE =
  'const n = {}; for (const r of outputs.open("r")) n[r.city] = (n[r.city] ?? 0) + 1; return n';
const PICKED = WHOLE.replace('"r")', '"r", ["city", "score"])');
const FILTER = "reduce inputs as $r ({}; .[$r.city] += 1)";

/** Code over records: at its start, against jq, and how long hostile code holds the event loop. */
export async function benchCode(): Promise<BenchRow[]> {
  return await inFolder(async (folder) => {
    const file = await writeLines(join(folder, "records.jsonl"), 77e6, recordAt);
    return [...(await startRows(file)), ...(await groupRows(file)), await hostileRow()];
  });
}

function recordAt(id: number): string {
  return JSON.stringify({
    id: `rec-${id}`,
    city: `city-${(id * 7919) % 50}`,
    score: ((id * 2_654_435_761) % 1_000_003) / 7,
    active: id % 3 === 0,
    user: {
      name: `name ${id % 1000}`,
      email: `user${id}@example.org`,
      roles: ["reader", `role-${id % 9}`],
    },
    text: "Words of a record that nobody asks about. ".repeat(5),
  });
}

/** Gives the records whatever is opened, and takes whatever is kept. */
function hostOf(source: CodeBody["source"]): CodeHost {
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

async function ask(engine: CodeEngine, code: string, host: CodeHost): Promise<void> {
  const result = await engine.run({ code, host, maxOutputBytes: MAX_OUTPUT_BYTES });
  if (result.returned === undefined) throw new Error(JSON.stringify(result.error));
}

async function groupRows({ path, sizeBytes, megabytes }: DataFile): Promise<BenchRow[]> {
  const source = { path, start: 0, end: sizeBytes };
  const host = hostOf(source);
  const code = startEngine(LIMITS);
  const jq = createJqEngine(LIMITS);
  const request = { source, layout: "records", filter: FILTER, compact: true } as const;
  const askJq = async (): Promise<void> => {
    const { resultCount, error } = await jq.run({ ...request, maxOutputBytes: MAX_OUTPUT_BYTES });
    if (resultCount !== 1) throw new Error(error);
  };
  const rows: BenchRow[] = [];
  for (const [name, program, most, goal] of [
    ["whole records", WHOLE, 1.2, "at most 1.2 times jq"],
    ["two fields", PICKED, 1 / 3, "at most a third of jq"],
  ] as const) {
    const [ours = NaN, other = NaN] = await inTurns([() => ask(code, program, host), askJq], 3);
    rows.push(
      row({
        group: GROUP,
        name: `count by group over ${megabytes} MB, ${name}`,
        ours: ms(ours),
        other: `${ms(other)} jq`,
        ratio: (ours / other).toFixed(2),
        goal,
        met: ours <= other * most,
      }),
    );
  }
  await code.close();
  await jq.close();
  return rows;
}

/** In engines of their own: the first answer loads all there is to load. */
async function startRows({ path, sizeBytes }: DataFile): Promise<BenchRow[]> {
  const host = hostOf({ path, start: 0, end: sizeBytes });
  const first: number[] = [];
  const next: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const engine = startEngine(LIMITS);
    first.push(await timeOf(() => ask(engine, "return 1 + 1", host)));
    for (let run = 0; run < 20; run += 1)
      next.push(await timeOf(() => ask(engine, "return 1 + 1", host)));
    await engine.close();
  }
  const rowOf = (name: string, time: number, most: number): BenchRow =>
    row({ group: GROUP, name, ours: ms(time), ...atMost(time, most, "ms") });
  return [
    rowOf("first answer, cold", median(first), 120),
    rowOf("next answer, in a fresh vm", median(next), 8),
  ];
}

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

/** How late timers of this process are at most while such code runs. */
async function hostileRow(): Promise<BenchRow> {
  const engine = startEngine({ ...LIMITS, timeoutMs: 1000 });
  const lines = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"city":"Rome"}\n`);
  const host = hostOf({ bytes: Buffer.from(lines.join("")) });
  await ask(engine, "return 1 + 1", host);
  const idleMs = await longestDelay(() => setTimeout(5000));
  let longest = { name: "", delayMs: 0 };
  for (const [name, code] of Object.entries(PROGRAMS)) {
    const delayMs = await longestDelay(() =>
      engine.run({ code, host, maxOutputBytes: MAX_OUTPUT_BYTES }),
    );
    if (delayMs > longest.delayMs) longest = { name, delayMs };
  }
  await engine.close();
  return row({
    group: GROUP,
    name: `event loop's longest delay beside ${Object.keys(PROGRAMS).length} hostile programs`,
    ours: `${longest.delayMs.toFixed(1)} ms (${longest.name})`,
    other: `${idleMs.toFixed(1)} ms beside nothing`,
    ...atMost(longest.delayMs, GOAL_DELAY_MS, "ms"),
  });
}
