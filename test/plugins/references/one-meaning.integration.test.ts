import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { internals } from "../../../src/core/pipeline/offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { createResolver } from "../../../src/plugins/references/reference-value.js";
import { sharedOffloader } from "../../opened-offloaders.js";

const items = Array.from({ length: 400 }, (_, id) => ({ id, note: `note ${id}` }));
const map = Object.fromEntries(items.map((item) => [`member-${item.id}`, item]));

const values: Readonly<Record<string, unknown>> = {
  "a list": items,
  "a document with one list": { id: 7, version: "v2", items },
  "a document with two lists": { orders: items, refunds: items.slice(0, 50) },
  "a map": map,
  "a document without records": { text: "x".repeat(20_000), version: "v2" },
};
const filters = [".items", ".version", ".itmes", ".items[]?", ".id", ".[0]", ".[].id", "length"];
filters.push("keys", ".node | .note", ".value.note", ".orders | length", "empty", "null");

const both = { users: map, events: items.slice(0, 50) };
const use = { toolName: "send", parameter: "data", maxBytes: 10_000_000 };

it.each([
  ["a map", "lro", map],
  ["a map and a list", "lro", both],
  ["a map and a list, as they came", "original", both],
  ["a map as it came", "original", map],
  ["a list as it came", "original", { id: 7, items }],
] as const)(
  "a list parameter gets a list, or is told how to: %s",
  async (name, fileFormat, value) => {
    const own = createOffloader({ fileFormat, store: memoryStore() });
    onTestFinished(() => own.close());
    const { id: output, sessionKey } = (await own.put(value, { sessionId: "s" })).storedArtifact;
    const resolve = createResolver(internals(own).core.drillIns());
    const asked = async (jq?: string) =>
      await resolve({ output, jq }, { sessionKey }, { ...use, expected: "list" });
    const { value: got } = await asked();
    if (got !== undefined) return expect(got).toEqual(items);
    const [, filter = ""] = /Add "jq": (".*?[^\\]"),/.exec((await asked()).problem ?? "") ?? [];
    const jq = String(JSON.parse(filter));
    if (name.endsWith("as it came")) expect(jq).toMatch(/^<.*>/);
    else expect((await asked(jq)).value).toHaveLength(400);
  },
);

// One for all: it has the worker of jq.
const offloader = sharedOffloader();

it.each([
  [items, "[., inputs] | length", 400],
  [items, "[inputs] | length", 400],
  [items, "select(.id == 7) | .id", [7]],
  [{ labels: ["bug"], text: "x".repeat(9_000) }, ".labels[]", "bug"],
])("of %o, %s is one value where it runs once, and else a list", async (value, jq, expected) => {
  const { id, sessionKey } = (await offloader.put(value, { sessionId: "s" })).storedArtifact;
  const resolve = createResolver(internals(offloader).core.drillIns());
  expect(await resolve({ output: id, jq }, { sessionKey }, use)).toMatchObject({ value: expected });
});

describe.each(Object.keys(values))("R1: a filter on %s", (name) => {
  let id: string;
  let sessionKey: string;
  beforeAll(async () => {
    ({ id, sessionKey } = (await offloader.put(values[name], { sessionId: "s" })).storedArtifact);
  });

  it.each(filters)("means in a reference what it means to jq: %s", async (filter) => {
    const answer = await offloader.drillIn.run("jq", { id, filter, compact: true }, { sessionKey });
    const asked = { output: id, jq: filter };
    const { value, problem } = await createResolver(internals(offloader).core.drillIns())(
      asked,
      { sessionKey },
      use,
    );
    if (value === undefined) {
      expect(problem).toMatch(/gives nothing, or only null|jq: error|annot/);
      const { failed, text } = answer;
      expect([failed, text]).toSatisfy(
        () => failed || /^0 results|results?, (?:all )?null/.test(text),
      );
      return;
    }
    expect(answer.failed).toBe(false);
    // One result stands for itself, several for a list; the answer shows as many as fit.
    const results = Array.isArray(value) ? [value, ...value.slice(0, 1)] : [value];
    const shown = results.map((result) => JSON.stringify(result).slice(0, 40));
    expect(
      shown.some((text) => answer.text.includes(text)),
      `${shown.join(" or ")} in ${answer.text}`,
    ).toBe(true);
  });
});
