import { identifyContent } from "../src/core/content/identify.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../src/core/describe/describe.js";
import { outlineOf } from "../src/core/describe/outlines/outline-of.js";
import { profileRecords } from "../src/core/profile/profile.js";
import { ALL_TOOLS, countTokens, store } from "../test/core/describe/fixture.js";
import { SAMPLES } from "../test/core/describe/samples.js";
import type { BenchRow } from "./row.js";

const FORMS = ["full", "generic", "bare"] as const;
const RUNS = 5;

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}

/** Tokens of the descriptor in each form, against the output that it stands for. */
export async function benchDescribe(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, operation, make } of SAMPLES) {
    const stored = await store(make(), { operation });
    const outputTokens = stored.storedArtifact.tokens;
    const shown = new Set<string>();
    for (const form of FORMS) {
      const descriptor = await describeArtifact(
        { ...stored, tools: ALL_TOOLS, count: countTokens },
        { form },
      );
      if (shown.has(descriptor.form)) continue;
      shown.add(descriptor.form);
      const budgetTokens = FORM_BUDGET_TOKENS[descriptor.form];
      const maxTokens = Math.min(budgetTokens, Math.floor(0.8 * outputTokens));
      rows.push({
        group: "describe",
        name: `${name}, ${descriptor.form}`,
        ours: `${descriptor.tokens} tokens`,
        other: `${outputTokens} tokens, the output`,
        ratio: `${(outputTokens / descriptor.tokens).toFixed(1)} times fewer`,
        goal: `at most ${maxTokens} tokens`,
        met: descriptor.tokens <= maxTokens,
      });
    }
  }
  rows.push(await benchProfile());
  for (const [name, text] of facts()) rows.push(await benchFacts(name, text));
  return rows;
}

/** A megabyte each of what is looked at as a whole. */
function facts(): readonly (readonly [string, string])[] {
  const record = (id: number): object => ({
    id,
    title: `Decision ${id} about the storage of tool outputs`,
    created: new Date(1_700_000_000_000 + id * 60_000).toISOString(),
    state: ["open", "closed", "merged"][id % 3],
    score: id / 7,
    user: { login: `user${id % 50}`, isAdmin: id % 20 === 0 },
    body: "The quick brown fox jumps over the lazy dog. ".repeat(id % 6),
  });
  const row = (id: number): string =>
    `${id},${new Date(1_700_000_000_000 + id * 60_000).toISOString()},${["Rome", "Oslo", "Lima"][id % 3]},${(id % 997) / 4},person ${id % 400}`;
  const line = (id: number): string =>
    `${new Date(1_700_000_000_000 + id * 1_000).toISOString()} ${["INFO", "WARN", "ERROR"][id % 3]} [worker-${id % 7}] request ${id} to /api/items/${id * 3} took ${id % 900} ms`;
  return [
    ["facts of JSON", `[${megabyte((id) => JSON.stringify(record(id))).join(",")}]`],
    ["facts of CSV", ["id,created,city,price,name", ...megabyte(row), ""].join("\n")],
    ["outline of a log", megabyte(line).join("\n")],
  ];
}

function megabyte(make: (id: number) => string): string[] {
  const parts: string[] = [];
  for (let bytes = 0, id = 0; bytes < 1_000_000; id += 1) {
    const part = make(id);
    parts.push(part);
    bytes += part.length + 1;
  }
  return parts;
}

/** Time for what a card says of all of a text, parsing included. */
async function benchFacts(name: string, text: string): Promise<BenchRow> {
  const content = await identifyContent(text);
  const ours: number[] = [];
  for (let run = 0; run < 3 * RUNS; run += 1) {
    globalThis.gc?.();
    const start = performance.now();
    if (content.records === undefined) await outlineOf(content, content.body.length);
    else await profileRecords(content);
    ours.push((performance.now() - start) / (content.body.length / 1e6));
  }
  const taken = median(ours);
  return {
    group: "describe",
    name: `${name}, 1 MB`,
    ours: `${taken.toFixed(1)} ms a MB`,
    other: "-",
    ratio: "-",
    goal: "at most 10 ms a MB",
    met: taken <= 10,
  };
}

/** Time to infer the fields of many records, against parsing every one of them. */
async function benchProfile(): Promise<BenchRow> {
  const lines = Array.from({ length: 200_000 }, (_, index) =>
    JSON.stringify({ id: index, title: `Title ${index}`, state: index % 3, user: { login: "a" } }),
  );
  const { content } = await store(SAMPLES[3]!.make());
  const at = (index: number): string => lines[index] ?? "null";
  const many = {
    ...content,
    body: Buffer.from(`${lines.join("\n")}\n`),
    records: { count: lines.length, path: [], envelope: undefined, at },
  };
  const ours: number[] = [];
  const other: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const start = performance.now();
    await profileRecords(many);
    const middle = performance.now();
    for (const line of lines) JSON.parse(line);
    ours.push(middle - start);
    other.push(performance.now() - middle);
  }
  return {
    group: "describe",
    name: "fields of 200,000 records",
    ours: `${median(ours).toFixed(1)} ms`,
    other: `${median(other).toFixed(1)} ms, JSON.parse of each`,
    ratio: `${(median(other) / median(ours)).toFixed(1)} times faster`,
    goal: "at least 3 times faster",
    met: median(other) >= 3 * median(ours),
  };
}
