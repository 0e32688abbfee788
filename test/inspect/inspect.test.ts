import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredArtifact } from "../../src/core/types/artifact.js";
import { type Bodies, createBodies } from "../../src/inspect/data/body.js";
import { createCatalogue } from "../../src/inspect/data/catalogue.js";
import { outputsIn } from "../../src/plugins/journal/reader.js";
import { outputDetail, sessionDetail, sessionsPage } from "../../src/inspect/data/sessions.js";
import { prettyJson } from "../../src/util/json-text.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { memoryJournal } from "./memory-journal.js";

const ID = "any";

/** Pages of these bytes, and the largest range that was read for them. */
function bodyOf(bytes: Uint8Array, more: Partial<StoredArtifact> = {}) {
  const lineCount = Buffer.from(bytes).toString("latin1").split("\n").length;
  const given = { headerBytes: 0, layout: "text", lineCount } as const;
  const artifact: StoredArtifact = { ...contractArtifact(bytes.length), ...given, ...more };
  const largest = { bytes: 0 };
  const store = {
    async read(_: StoredArtifact, range?: { readonly start: number; readonly end: number }) {
      const read = bytes.subarray(range?.start ?? 0, range?.end ?? bytes.length);
      largest.bytes = Math.max(largest.bytes, read.length);
      return read;
    },
  };
  return { body: createBodies({ store, find: async () => artifact }), largest };
}

const line = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", " ")),
  fc.constant(""),
  fc
    .constantFrom("é", "x", "日本")
    .chain((unit) => fc.integer({ min: 8000, max: 40_000 }).map((count) => unit.repeat(count))),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 20 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends ? "\n" : ""))
  // What stands for half a character is none of the data's own here.
  .map((whole) => whole.replaceAll("\uFFFD", "?"));

/** Goes from page to page and gives all of their lines. */
async function linesOf(body: Bodies, limit: number): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const { rows } = await body(ID, { from: all.length, limit });
    if (rows.length === 0) return all;
    all.push(...rows.map(({ text }) => text));
  }
}

describe("pages of a body", () => {
  it("give every line once, and split no character", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (whole, count) => {
        const lines = whole.replace(/\n$/, "").split("\n");
        const expected = whole === "" ? [] : lines.map((one) => one.replace(/\r$/, ""));
        expect(await linesOf(bodyOf(Buffer.from(whole)).body, count)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("are bounded, also of ten megabytes on one line", async () => {
    const text = `{"first":"${"é".repeat(5_000_000)}"}\n{"second":1}\n`;
    const { body, largest } = bodyOf(Buffer.from(text));
    const { rows } = await body(ID, { from: 0, limit: 100 });
    expect([rows.length, rows[0]?.cut]).toEqual([1, true]);
    expect(rows[0]?.text).toMatch(/^\{"first":"é+$/);
    expect(Buffer.byteLength(rows[0]?.text ?? "")).toBeLessThanOrEqual(262_144);
    const second = await body(ID, { from: 1, limit: 100 });
    expect(second.rows).toEqual([{ text: '{"second":1}' }]);
    expect(largest.bytes).toBeLessThan(2_000_000);
  });

  it("are the records of a layout, without what stands before and after them", async () => {
    const more = { layout: "records", headerBytes: 12, recordCount: 2 } as const;
    const { body } = bodyOf(Buffer.from('{"header":1}\n1,\n2\n]\n'), more);
    const rows = [{ text: "1," }, { text: "2" }];
    expect(await body(ID, { from: 0, limit: 9 })).toEqual({ total: 2, from: 0, rows });
    expect((await body(ID, { from: 1, limit: 1 })).rows).toEqual(rows.slice(1));
  });
});

const base = { at: 1, durationMs: 1, session: "s" } as const;
const stored = { ...contractArtifact(1000), id: "a", sessionKey: "s" };
const offloaded = {
  ...base,
  type: "offloaded",
  artifact: stored,
  reason: "threshold",
  form: "full",
  descriptorTokens: 10,
  tokensSaved: 90,
  tokensExact: true,
} as const;

it("counts what a tool was given by reference as read", async () => {
  const given = { toolName: "t", parameter: "rows", artifactId: stored.id, sizeBytes: 1000 };
  const journal = memoryJournal();
  const sources = { catalogue: createCatalogue("/none", Date.now), journal: journal.reader };
  const neverRead = async () => (await sessionDetail("s", sources)).neverRead;
  journal.add(offloaded);
  journal.add({ ...base, ...given, type: "referenced", failed: true } as never);
  expect(await neverRead()).toBe(1);
  journal.add({ ...base, ...given, type: "referenced", failed: false } as never);
  expect(await neverRead()).toBe(0);
  const { entries = [] } = await outputDetail(stored, sources);
  expect(outputsIn(entries).get("a")).toMatchObject({ reads: 1 });
  expect(entries.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  journal.drop(1);
  expect(await neverRead()).toBe(0);
});

it("counts what another session read, and finds each of 2,000 sessions", async () => {
  const journal = memoryJournal();
  const sources = { catalogue: createCatalogue("/none", Date.now), journal: journal.reader };
  journal.add(offloaded);
  const read = { ...base, type: "drilled-in", artifactId: "a", answerTokens: 1, failed: false };
  for (let at = 0; at < 2000; at += 1) journal.add({ ...read, session: `${at}` } as never);
  expect((await sessionDetail("s", sources)).neverRead).toBe(0);
  const asked = { find: "1999", from: 0, limit: 1 };
  expect((await sessionsPage(asked, sources)).total).toBe(1);
});

interface Page {
  readonly EntryLine: (props: object) => { readonly props: Record<string, string> };
}

// The compiler of the tests has no JSX.
const file: string = "../../src/inspect/page/entry.js";
const { EntryLine } = (await import(file)) as Page;

const shownOf = (entry: object): Record<string, string> =>
  EntryLine({ entry: { v: 1, at: 0, id: "a:0", session: "s", ...entry } }).props;

it("a line marks the tokens that are estimated, and does not number a call of the model", () => {
  const aged = { type: "aged", results: 2, artifactIds: [], freedTokens: 5300 };
  expect(shownOf(aged)["detail"]).toContain("results 2, freed tokens ≈\u00A05,300");
  const tools = { type: "tools-shown", definitionTokens: 812 };
  expect(shownOf(tools)["detail"]).toContain("definition tokens ≈\u00A0812");
  // The journal counts the calls of all sessions.
  const called = { type: "model-called", call: 7, parts: {}, contextTokens: 9, withoutTokens: 9 };
  expect(shownOf(called)["what"]).toBe("The model was called");
});

it("JSON gets several lines where each token keeps its spelling, and other text stays as it is", () => {
  const depth = 131_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  for (const text of ['{"b":1.10}', '{"b":1,"b":2}', '["\\u00fc"]', "[1e400]", "[INFO] {", deep])
    expect(prettyJson(text)).toBe(text);
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const json = JSON.stringify(value);
      const isPretty = prettyJson(json) === JSON.stringify(value, null, 2);
      expect(isPretty || prettyJson(json) === json).toBe(true);
    }),
  );
  expect(prettyJson('{"a": [1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
});
