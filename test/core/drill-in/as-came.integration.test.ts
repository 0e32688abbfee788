import { describe, expect, it } from "vitest";

import { inSession } from "./in-session.js";
import { sharedOffloader } from "../../opened-offloaders.js";

const offloader = sharedOffloader({
  fileFormat: "original",
  threshold: { bytes: 1 },
  drillIn: { timeoutMs: 25_000 },
});

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

function rows(from: string, count: number): string {
  const records = Array.from({ length: count }, (_, id) => ({ id, from, text: `row ${id}` }));
  return JSON.stringify(records);
}

const DOCUMENTS: readonly (readonly [string, string])[] = [
  ["the larger set first", `{"rows":${rows("A", 60)},"rows":${rows("B", 20)},"n":1}`],
  ["the larger set last", `{"rows":${rows("A", 20)},"rows":${rows("B", 60)},"n":1}`],
  ["another spelling of the key", String.raw`{"rows":${rows("A", 60)},"\u0072ows":7}`],
  ["a key further up", `{"data":{"rows":${rows("A", 60)}},"data":{"rows":[]}}`],
  [
    "a key of a map",
    `{${["k", "l", "m", "k"].map((key) => `"${key}":{"from":"A","rows":[1,2]}`).join()}}`,
  ],
];

// D6
describe.each(["lro", "original"] as const)(
  "a key that comes twice above the records, kept as %s",
  (fileFormat) => {
    const own = sharedOffloader({
      fileFormat,
      threshold: { bytes: 1 },
      drillIn: { timeoutMs: 25_000, sql: {} },
    });
    const { offload, ask, referred } = inSession(own);

    it.each(DOCUMENTS)(
      "makes one document, of which all readers take the last: %s",
      async (_, value) => {
        const { text, storedArtifact } = await offload(value);
        const { id, kind } = storedArtifact;
        expect(kind).toBe("json-document");
        expect(text).not.toContain("records");
        expect(await referred({ output: id })).toEqual(JSON.parse(value));
        const [whole = ""] = (await ask("jq", { id, filter: "." })).split("\n");
        expect(JSON.parse(whole)).toEqual(JSON.parse(value));
        const sql = await ask("sql", { id, query: "SELECT * FROM output" });
        expect(sql).toContain("one JSON document without records");
      },
    );
  },
);
