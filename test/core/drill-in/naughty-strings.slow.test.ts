import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { NAUGHTY_STRINGS } from "./naughty-strings.js";
import { createStoredFiles } from "./stored-files.js";
import { createTestStore, drillInOver, readAll } from "./stored-outputs.js";

const CALL = { sessionKey: sessionKeyOf("thread 1") };
const files = createStoredFiles();
const drillIn = files.drillIn({ timeoutMs: 1000 });
const cases = NAUGHTY_STRINGS.map((text, n): [string, string, number] => [
  JSON.stringify(text).slice(0, 60),
  text,
  n,
]);
/** UTF-8 carries no lone surrogates, so no variable of jq does. */
const wellFormed = cases.filter(([, text]) => text.isWellFormed());
let records: StoredArtifact;
let lines: StoredArtifact;

beforeAll(async () => {
  // `fromEntries` makes an own key of `__proto__` too.
  const rows = NAUGHTY_STRINGS.map((text, n) => ({
    n,
    text,
    keys: Object.fromEntries([[text, n]]),
  }));
  records = await files.put(JSON.stringify(rows), "thread 1");
  lines = await files.put(`first\n${NAUGHTY_STRINGS.join("\n")}\nlast\n`, "thread 1");
});

afterAll(() => files.close());

describe("a naughty string", () => {
  it.each(cases)("as an output is read back as UTF-8 writes it: %s", async (_, text) => {
    const store = createTestStore();
    const whole = `${text}|${text}`;
    const { id } = store.add(whole);
    expect((await readAll(drillInOver(store), { id })).text).toBe(whole.toWellFormed());
  });

  it.each(wellFormed)("as a value is found by jq: %s", async (_, text, n) => {
    const filter = "select(.text == $value) | .n";
    const answer = await drillIn.run("jq", { id: records.id, filter, args: { value: text } }, CALL);
    const found = answer.text.split("\n").slice(0, -1).map(Number);
    expect(found).toContain(n);
    // A lone surrogate is the replacement character to jq.
    const values = found.map((at) => NAUGHTY_STRINGS[at]?.toWellFormed());
    expect(values).toEqual(found.map(() => text));
  });

  it.each(wellFormed)("as a key is found by jq: %s", async (_, text, n) => {
    const args = { id: records.id, filter: ".keys[$key] // empty", args: { key: text } };
    expect((await drillIn.run("jq", args, CALL)).text.split("\n")).toContain(String(n));
  });

  it.each(cases)("as a literal pattern finds its line: %s", async (_, text) => {
    const args = { id: lines.id, pattern: text, literal: true, count_only: true };
    const answer = await drillIn.run("grep", args, CALL);
    const isLine = text !== "" && text.length <= 1000 && !/[\r\n]/.test(text);
    if (isLine && text.isWellFormed()) expect(answer.text).toMatch(/^[1-9][\d,]* matching line/);
    else
      expect(answer.text).toMatch(/^(0 matching lines|\d+ matching|The pattern|Invalid pattern)/);
  });

  it.each(cases)("as a pattern and as a filter is answered: %s", async (_, text) => {
    const grep = await drillIn.run("grep", { id: lines.id, pattern: text, max_results: 3 }, CALL);
    const jq = await drillIn.run("jq", { id: records.id, filter: text, limit: 2 }, CALL);
    for (const answer of [grep, jq]) {
      expect(answer.artifactId).toBeDefined();
      expect(answer.tokens).toBeLessThanOrEqual(2000);
      expect(answer.text).not.toMatch(/internal fault|stopped without an answer/);
    }
  });

  it("as an id is as unknown as any other", async () => {
    const unknown = await drillIn.run("read", { id: "01KDX0ABCDEFGHJKMNPQRSTVWX" }, CALL);
    for (const text of NAUGHTY_STRINGS)
      expect(await drillIn.run("read", { id: text }, CALL)).toEqual(unknown);
  });

  it("is one of at least two hundred", () => {
    expect(NAUGHTY_STRINGS.length).toBeGreaterThanOrEqual(200);
  });
});
