import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { inSession } from "./in-session.js";

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
    const offloader = createOffloader({
      fileFormat,
      threshold: { bytes: 1 },
      store: memoryStore(),
      drillIn: { timeoutMs: 25_000, sql: {} },
    });
    const { offload, ask, referred } = inSession(offloader);
    afterAll(() => offloader.close());

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
