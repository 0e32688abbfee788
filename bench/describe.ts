import { identifyContent } from "../src/core/content/identify.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../src/core/describe/describe.js";
import { outlineOf } from "../src/core/describe/outlines/outline-of.js";
import { profileRecords } from "../src/core/profile/profile.js";
import { ALL_TOOLS, countTokens, store } from "../test/core/describe/fixture.js";
import { SAMPLES } from "../test/core/describe/samples.js";
import { atMost, type BenchRow, inTurns, row, textOf } from "./harness.js";

const FORMS = ["auto", "generic", "bare"] as const;
const RUNS = 5;

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
        ...atMost(descriptor.tokens, maxTokens, "tokens"),
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
  const cells = (id: number): string =>
    `${id},${new Date(1_700_000_000_000 + id * 60_000).toISOString()},${["Rome", "Oslo", "Lima"][id % 3]},${(id % 997) / 4},person ${id % 400}`;
  const line = (id: number): string =>
    `${new Date(1_700_000_000_000 + id * 1_000).toISOString()} ${["INFO", "WARN", "ERROR"][id % 3]} [worker-${id % 7}] request ${id} to /api/items/${id * 3} took ${id % 900} ms`;
  return [
    ["facts of JSON", `[${textOf(1e6, ",", (id) => JSON.stringify(record(id)))}]`],
    ["facts of CSV", `id,created,city,price,name\n${textOf(1e6, "\n", cells)}\n`],
    ["outline of a log", textOf(1e6, "\n", line)],
  ];
}

/** Time for what a card says of all of a text, parsing included. */
async function benchFacts(name: string, text: string): Promise<BenchRow> {
  const content = await identifyContent(text);
  const look = (): unknown =>
    content.records === undefined
      ? outlineOf(content, content.body.length)
      : profileRecords(content);
  const [time = NaN] = await inTurns([look], 3 * RUNS);
  const taken = time / (content.body.length / 1e6);
  return row({
    group: "describe",
    name: `${name}, 1 MB`,
    ours: `${taken.toFixed(1)} ms a MB`,
    ...atMost(taken, 10, "ms a MB"),
  });
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
  const [ours = NaN, other = NaN] = await inTurns(
    [
      () => profileRecords(many),
      () => {
        for (const line of lines) JSON.parse(line);
      },
    ],
    RUNS,
  );
  return {
    group: "describe",
    name: "fields of 200,000 records",
    ours: `${ours.toFixed(1)} ms`,
    other: `${other.toFixed(1)} ms, JSON.parse of each`,
    ratio: `${(other / ours).toFixed(1)} times faster`,
    goal: "at least 3 times faster",
    met: other >= 3 * ours,
  };
}
