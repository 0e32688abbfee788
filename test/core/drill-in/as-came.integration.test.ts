import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { inSession } from "./in-session.js";

const offloader = createOffloader({
  fileFormat: "original",
  threshold: { bytes: 1 },
  store: memoryStore(),
  drillIn: { timeoutMs: 25_000 },
});
afterAll(() => offloader.close());

const { offload, ask, referred } = inSession(offloader);

async function stored(value: string): Promise<string> {
  return (await offload(value)).storedArtifact.id;
}

const RECORDS = [
  { id: 1, n: "a" },
  { id: 2, n: "b" },
  { id: 3, n: "a" },
];
const LINES = RECORDS.map((record) => JSON.stringify(record));
const SEQUENCES: readonly (readonly [string, string])[] = [
  ["one a line", LINES.join("\n")],
  ["blank lines between them", `${LINES.join("\n\n")}\n\n`],
  ["on many lines", RECORDS.map((record) => JSON.stringify(record, null, 2)).join("\n")],
  ["a byte order mark", `\uFEFF${LINES.join("\r\n")}`],
  ["a byte order mark and blank lines", `\uFEFF${LINES.join("\n\n")}`],
  ["JSON in a string", JSON.stringify(LINES.join("\n"))],
];

// D7
describe("JSON lines that were kept as they came", () => {
  it.each(SEQUENCES)("are the list of all records as a reference: %s", async (_, text) => {
    expect(await referred({ output: await stored(text) })).toEqual(RECORDS);
  });

  it.each(SEQUENCES)("are the array of all records in a variable: %s", async (_, text) => {
    const id = await stored('[{"k":1},{"k":2},{"k":3}]');
    const args = { id, filter: "$b | length", with: { b: await stored(text) } };
    expect(await ask("jq", args)).toMatch(/^3\n/);
  });
});

describe("a document that was kept as it came", () => {
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, state: id % 2 ? "open" : "closed" }));

  it("comes back from a reference as it was, behind a byte order mark too", async () => {
    const output = await stored(`\uFEFF${JSON.stringify({ rows })}`);
    expect(await referred({ output })).toEqual({ rows });
  });
});
