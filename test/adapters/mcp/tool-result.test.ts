import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { offloadResult } from "../../../src/adapters/mcp/results/tool-result.js";
import { createOffloader, scopeOf } from "../../../src/core.js";
import type { OffloadOptions } from "../../../src/options/options.js";
import { memoryStore } from "../../../src/store/memory.js";

let calls = 0;
const make = (options: OffloadOptions = {}) =>
  createOffloader({ store: memoryStore(), ...options });
const small = make();
const eager = make({ decide: { threshold: { tokens: 0 } } });
afterAll(async () => {
  await Promise.all([small.close(), eager.close()]);
});

const answered = (toolName = "search") => ({
  toolName,
  args: {},
  callId: `c${(calls += 1)}`,
  sessionId: `s${calls}`,
});

/** Walks a result that is given as JSON text. */
async function walk(json: string, offloader = small, call = answered()) {
  const out = await offloadResult(offloader, json, JSON.parse(json), call);
  const { artifacts } = await offloader.store.list(scopeOf(call.sessionId));
  const [artifact] = artifacts;
  const bytes = artifact && (await offloader.store.read(artifact));
  const body = bytes && Buffer.from(bytes).subarray(artifact.headerBytes).toString("utf8");
  return { out, artifact, body };
}

/** JSON of a value with the spaces and the spellings that `JSON.stringify` never has. */
const spelled = (value: unknown): string =>
  JSON.stringify(value).replaceAll("/", "\\/").replaceAll("é", "\\u00e9");

const HOSTILE_NUMBERS = ["12345678901234567890", "1e400", "-0", "1.10", "0.1e-7"];
/** Records as texts of JSON objects, in which numbers that JavaScript cannot hold stand. */
const recordText = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(...HOSTILE_NUMBERS))
  .map(([fields, number]) => {
    const { __n: _, ...rest } = fields as Record<string, unknown>;
    const inner = spelled(rest).slice(1, -1);
    return `{"__n":${number}${inner === "" ? "" : `,${inner}`}}`;
  });

describe("rule 66: what the proxy stores", () => {
  it("is the server's records, line by line, in the spelling of its text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(recordText, { minLength: 2, maxLength: 20 }), async (records) => {
        const text = `[${records.join(", ")}]`;
        const json = JSON.stringify({ content: [{ type: "text", text }] });
        const { out, body, artifact } = await walk(json, eager);
        expect(artifact?.layout).toBe("records");
        expect(body).toBe(records.map((record) => `${record}\n`).join(""));
        expect(out).not.toBe(json);
      }),
      { numRuns: 25 },
    );
  });

  it("is the same when the records came as structured content alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(recordText, { minLength: 2, maxLength: 20 }), async (records) => {
        const json = `{"structuredContent": {"total": 1e400, "rows" : [${records.join(" , ")}]},"content":[]}`;
        const { out, body } = await walk(json, eager);
        expect(body).toBe(records.map((record) => `${record}\n`).join(""));
        expect(JSON.parse(out)).toMatchObject({ structuredContent: { offloaded: true } });
      }),
      { numRuns: 25 },
    );
  });

  it("is any text as it came, also one that looks like what an adapter makes", async () => {
    const looksWrapped = `{"type":"text","text":"x","structuredContent":{"a":1}}`;
    const text = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.constant(looksWrapped));
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const value = `Text: ${given}`;
        const json = JSON.stringify({ content: [{ type: "text", text: value }] });
        const { artifact, body } = await walk(json, eager);
        fc.pre(
          artifact !== undefined && artifact.layout === "text" && artifact.encoding === "utf-8",
        );
        expect(body).toBe(value);
      }),
      { numRuns: 50 },
    );
    const { body } = await walk(
      JSON.stringify({ content: [{ type: "text", text: looksWrapped }] }),
      eager,
    );
    expect(body?.trimEnd()).toBe(looksWrapped);
  });
});

describe("a result that stays inline", () => {
  it("is the same text, whatever is in it", async () => {
    const field = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string({ maxLength: 50 }) }),
      fc.record({ type: fc.constant("image"), data: fc.base64String(), mimeType: fc.string() }),
      field,
    );
    const result = fc.record(
      {
        content: fc.array(block, { maxLength: 4 }),
        structuredContent: field,
        isError: fc.boolean(),
        _meta: field,
        "x-vendor": fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(result, async (value) => {
        const json = ` ${spelled(value)} `;
        expect((await walk(json)).out).toBe(json);
      }),
      { numRuns: 75 },
    );
  });

  it.each([
    ["an error", { isError: true, content: [{ type: "text", text: "x".repeat(50_000) }] }],
    [
      "a question to the user",
      { resultType: "input_required", content: [{ type: "text", text: "x".repeat(50_000) }] },
    ],
    ["an image", { content: [{ type: "image", data: "A".repeat(50_000), mimeType: "image/png" }] }],
    ["no object", "x".repeat(50_000)],
  ])("is %s of any size", async (_, value) => {
    const json = JSON.stringify(value);
    expect((await walk(json)).out).toBe(json);
  });

  it("is what a failing store leaves, cut and marked as cut", async () => {
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("full")) };
    const offloader = make({ store });
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id }));
    const json = JSON.stringify({
      content: [{ type: "text", text: JSON.stringify(rows) }],
      structuredContent: { result: rows },
    });
    const out = JSON.parse(await offloadResult(offloader, json, JSON.parse(json), answered()));
    expect(JSON.parse(out.content[0].text)).toMatchObject({ truncated: true, total_count: 3000 });
    expect(out.structuredContent).toMatchObject({ offloaded: false });
    expect(out.isError).toBeUndefined();
    await offloader.close();
  });
});

describe("a result that leaves the context", () => {
  const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
  const image = '{"type":"image", "data":"AAAA","mimeType":"image/png","x":1e400}';

  it("keeps its other blocks, its _meta and unknown fields in their spelling", async () => {
    const text = JSON.stringify({ type: "text", text: JSON.stringify(rows) });
    const json = `{"content":[${text}, ${image}],"_meta":{"n":12345678901234567890},"x-vendor":[1.0]}`;
    const { out } = await walk(json);
    expect(out.endsWith(`,${image}],"_meta":{"n":12345678901234567890},"x-vendor":[1.0]}`)).toBe(
      true,
    );
    expect(out.length).toBeLessThan(4000);
  });

  it.each([
    ["one text", [{ annotations: { audience: ["user"], priority: 0.5 }, _meta: { "a/b": 1 } }], 0],
    ["several that agree", [{ annotations: { priority: 1 } }, { annotations: { priority: 1 } }], 0],
    [
      "several that do not",
      [
        { annotations: { audience: ["user"], priority: 1, lastModified: "x" }, _meta: { a: 1 } },
        { annotations: { audience: ["assistant"], priority: 1 }, _meta: { a: 2 } },
      ],
      { annotations: { audience: ["user", "assistant"], priority: 1 } },
    ],
    ["one of which has none", [{ annotations: { audience: ["user"] } }, {}], {}],
  ])("keeps what %s says beside the text (item 11: annotations)", async (_, members, kept) => {
    const content = members.map((beside) => ({
      type: "text",
      text: "row\n".repeat(5000),
      ...beside,
    }));
    const { out } = await walk(JSON.stringify({ content }));
    const { type, text, ...beside } = JSON.parse(out).content[0];
    expect({ type, isShort: text.length < 10_000 }).toEqual({ type: "text", isShort: true });
    expect(beside).toEqual(kept === 0 ? members[0] : kept);
  });

  it("has the descriptor once as text and once as structured content, and a short remark", async () => {
    const json = JSON.stringify({
      content: [{ type: "text", text: "Found 2000." }],
      structuredContent: { rows },
    });
    const out = JSON.parse((await walk(json)).out);
    expect(out.content[1]).toEqual({ type: "text", text: "Found 2000." });
    expect(out.structuredContent).toEqual(JSON.parse(out.content[0].text));
  });

  it("is the whole set behind an inject_context, its formatted text dropped", async () => {
    const memories = Array.from({ length: 300 }, (_, id) => ({
      id: `m${id}`,
      title: `T ${id}`,
      namespace: "_semantic/x",
      memory_type: "semantic",
      content: "words ".repeat(20),
    }));
    const json = JSON.stringify({
      content: [{ type: "text", text: "## Context\n".repeat(60) }],
      structuredContent: { memories },
    });
    const { body, out } = await walk(json, small, answered("inject_context"));
    expect(body).toBe(memories.map((memory) => `${JSON.stringify(memory)}\n`).join(""));
    expect(out).not.toContain("## Context");
  });
});

describe("an embedded resource", () => {
  const note = "x".repeat(60);
  const resource = (more: object) => ({
    type: "resource",
    resource: { uri: "file:///a.txt", mimeType: "text/plain", ...more },
    annotations: { audience: ["user"] },
    _meta: { n: 1 },
  });

  it("is counted and stored with its text, and keeps its place without it", async () => {
    const text = "A line of prose.\n".repeat(3000);
    const content = [resource({ text }), resource({ blob: "AAAA" })];
    const { out, body } = await walk(JSON.stringify({ content }));
    expect(body).toBe(text);
    const [descriptor, emptied, blob] = JSON.parse(out).content;
    expect(descriptor.type).toBe("text");
    expect(emptied).toEqual(
      resource({ text: "The text of this resource is in the output above." }),
    );
    expect(blob).toEqual(resource({ blob: "AAAA" }));
  });

  it("counts together with texts and others beside it", async () => {
    const part = "Some prose again.\n".repeat(700);
    const content = [
      { type: "text", text: part },
      resource({ text: part }),
      resource({ text: part }),
    ];
    const { out, body } = await walk(JSON.stringify({ content }));
    expect(body).toBe([part, part, part].join("\n"));
    expect(JSON.parse(out).content).toHaveLength(3);
  });

  it("passes as it came when it is small, or is of bytes, or is no resource at all", async () => {
    for (const block of [
      resource({ text: note }),
      resource({ blob: "A".repeat(100_000) }),
      { type: "resource", resource: null },
      { type: "resource", resource: { text: 5 } },
      { type: "resource_link", uri: "file:///a", name: "a" },
    ]) {
      const json = spelled({ content: [block] });
      expect((await walk(json)).out).toBe(json);
    }
  });
});
