import { describeArtifact, FORM_BUDGET_TOKENS } from "../src/describe/describe.js";
import { profileRecords } from "../src/describe/profile/profile.js";
import { ALL_TOOLS, countTokens, store } from "../test/describe/fixture.js";
import { SAMPLES } from "../test/describe/samples.js";
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
  return rows;
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
