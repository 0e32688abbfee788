import { createResolver } from "../../../src/plugins/references/reference-value.js";
import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { internals, type Offloader } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";

const offloader: Offloader = createOffloader({
  fileFormat: "original",
  threshold: { bytes: 1 },
  store: memoryStore(),
  drillIn: { timeoutMs: 25_000 },
});
afterAll(() => offloader.close());

const SESSION = "s";
const SESSION_KEY = sessionKeyOf(SESSION);

async function stored(value: string): Promise<StoredArtifact> {
  const result = await offloader.offload({ toolName: "t", value, sessionId: SESSION });
  if (result.outcome !== "offloaded") throw new Error(result.outcome);
  return result.storedArtifact;
}

async function referred(artifact: StoredArtifact, more: object = {}): Promise<unknown> {
  const { value, problem } = await createResolver(internals(offloader).core.drillIns())(
    { output: artifact.id, ...more },
    { sessionKey: SESSION_KEY },
    { toolName: "u", parameter: "rows", maxBytes: 1_000_000 },
  );
  if (problem !== undefined) throw new Error(problem);
  return value;
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
    expect(await referred(await stored(text))).toEqual(RECORDS);
  });

  it.each(SEQUENCES)("are the array of all records in a variable: %s", async (_, text) => {
    const { id } = await stored('[{"k":1},{"k":2},{"k":3}]');
    const other = await stored(text);
    const answer = await offloader.drillIn.run(
      "jq",
      { id, filter: "$b | length", with: { b: other.id } },
      { sessionKey: SESSION_KEY },
    );
    expect(answer.text.split("\n")[0]).toBe("3");
  });
});

describe("a document that was kept as it came", () => {
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, state: id % 2 ? "open" : "closed" }));

  it("comes back from a reference as it was, behind a byte order mark too", async () => {
    expect(await referred(await stored(`\uFEFF${JSON.stringify({ rows })}`))).toEqual({ rows });
  });
});
