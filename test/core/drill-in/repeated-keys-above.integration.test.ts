import { createResolver } from "../../../src/plugins/references/reference-value.js";
import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";

const SESSION = "s";
const CALL = { sessionKey: sessionKeyOf(SESSION) };

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
    afterAll(() => offloader.close());

    it.each(DOCUMENTS)(
      "makes one document, of which all readers take the last: %s",
      async (_, value) => {
        const result = await offloader.offload({ toolName: "t", value, sessionId: SESSION });
        if (result.outcome !== "offloaded") throw new Error(result.outcome);
        const { id, kind } = result.storedArtifact;
        expect(kind).toBe("json-document");
        expect(result.text).not.toContain("records");
        const jq = await offloader.drillIn.run("jq", { id, filter: ".", compact: true }, CALL);
        const whole = { output: id };
        const into = { toolName: "u", parameter: "rows", maxBytes: 1_000_000 };
        const { value: referred } = await createResolver(internals(offloader).core.drillIns())(
          whole,
          CALL,
          into,
        );
        expect(referred).toEqual(JSON.parse(value));
        expect(JSON.parse(jq.text.split("\n")[0] ?? "")).toEqual(JSON.parse(value));
        const sql = await offloader.drillIn.run("sql", { id, query: "SELECT * FROM output" }, CALL);
        expect(sql.text).toContain("one JSON document without records");
      },
    );
  },
);
