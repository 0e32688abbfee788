import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { createOwnTools, inProtocol } from "../../../src/adapters/mcp/own-tools.js";
import { offloadResult } from "../../../src/adapters/mcp/tool-result.js";
import { createOffloader, sessionKeyOf } from "../../../src/core.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { media } from "../../../src/plugins/media/media.js";
import { imageBlock, jpeg, pdf, png, wav } from "../../core/pipeline/media/samples.js";

let calls = 0;
const make = (options: OffloadOptions = {}) =>
  createOffloader({ store: memoryStore(), ...options });
const small = make();
const eager = make({ threshold: { tokens: 0 } });
afterAll(async () => {
  await Promise.all([small.close(), eager.close()]);
});

const answered = (toolName = "search") => ({
  toolName,
  args: {},
  toolCallId: `c${(calls += 1)}`,
  sessionId: `s${calls}`,
});

/** Walks a result that is given as JSON text. */
async function pipeline(json: string, offloader = small, call = answered()) {
  const out = await offloadResult(offloader, json, JSON.parse(json), call);
  const { artifacts } = await offloader.store.list(sessionKeyOf(call.sessionId));
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

it.each([["No."], [{ no: 1 }]])(
  "a plugin's %j stands in place of all of a result",
  async (value) => {
    const wrapOutput = async () => ({ outcome: "inline" as const, value });
    const refusing = make({ plugins: [{ name: "refuse", setup: () => ({ wrapOutput }) }] });
    const result = { content: [{ type: "text", text: "kept" }], structuredContent: { is: "kept" } };
    const { out } = await pipeline(JSON.stringify(result), refusing);
    expect(out).not.toContain("kept");
    expect(out).toMatch(/no/i);
    await refusing.close();
  },
);

describe("rule 66: what the proxy stores", () => {
  it("is nothing of structured content that repeats the images beside it", async () => {
    const content = [{ type: "image", data: "iVBORw0KGgo", mimeType: "image/png" }];
    const json = JSON.stringify({ content, structuredContent: { content } });
    expect(await pipeline(json, eager)).toMatchObject({ out: json, artifact: undefined });
    const storing = make({ plugins: [media({ threshold: { bytes: 0 } })] });
    expect((await pipeline(json, storing)).out).not.toContain("iVBORw0KGgo");
    await storing.close();
  });

  it("is the server's records, line by line, in the spelling of its text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(recordText, { minLength: 2, maxLength: 20 }), async (records) => {
        const text = `[${records.join(", ")}]`;
        const json = JSON.stringify({ content: [{ type: "text", text }] });
        const { out, body, artifact } = await pipeline(json, eager);
        expect(artifact?.layout).toBe("records");
        expect(body).toBe(records.map((record) => `${record}\n`).join(""));
        expect(out).not.toBe(json);
      }),
      { numRuns: 25 },
    );
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
        expect((await pipeline(json)).out).toBe(json);
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
  ])("is %s of any size", async (_, value) => {
    const json = JSON.stringify(value);
    expect((await pipeline(json)).out).toBe(json);
  });
});

describe("a result that leaves the context", () => {
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
    const { body, out } = await pipeline(json, small, answered("inject_context"));
    expect(body).toBe(memories.map((memory) => `${JSON.stringify(memory)}\n`).join(""));
    expect(out).not.toContain("## Context");
  });

  it("leaves a remark beside it as it came, metadata included", async () => {
    const remark = { type: "text", text: "Page 1.", annotations: { priority: 1 }, _meta: { a: 1 } };
    const data = {
      type: "text",
      text: JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id }))),
      _meta: {},
    };
    const { out } = await pipeline(JSON.stringify({ content: [remark, data] }));
    const descriptor = expect.stringContaining('"offloaded":true');
    expect(JSON.parse(out).content).toEqual([{ ...data, text: descriptor }, remark]);
  });
});

describe("an embedded resource", () => {
  const resource = (more: object) => ({
    type: "resource",
    resource: { uri: "file:///a.txt", mimeType: "text/plain", ...more },
    annotations: { audience: ["user"] },
    _meta: { n: 1 },
  });

  it("is counted and stored with its text, and keeps its place without it", async () => {
    const text = "A line of prose.\n".repeat(3000);
    const content = [resource({ text }), resource({ blob: "AAAA" })];
    const { out, body } = await pipeline(JSON.stringify({ content }));
    expect(body).toBe(text);
    const [descriptor, emptied, blob] = JSON.parse(out).content;
    expect(descriptor.type).toBe("text");
    expect(emptied).toEqual(
      resource({ text: "The text of this resource is in the output above." }),
    );
    expect(blob).toEqual(resource({ blob: "AAAA" }));
  });
});

describe("a result with images, sounds and resources of bytes", () => {
  const offloader = inProtocol(make({ plugins: [media()] }));
  afterAll(() => offloader.close());
  const blob = pdf(7).toString("base64");
  const resource = { uri: "file:///report.pdf", mimeType: "application/pdf", blob };

  it("has a descriptor in the place of each large one, and everything else as it came", async () => {
    const small = imageBlock(png(4, 4, 10));
    const sound = { type: "audio", mimeType: "audio/wav", data: wav(8).toString("base64") };
    const content = [
      { type: "text", text: "one" },
      imageBlock(png()),
      small,
      sound,
      { type: "resource", resource },
    ];
    const json = `{ "content" : ${JSON.stringify(content).replaceAll("/", "\\/")}, "_meta":{"a":1.10}}`;
    const out = (await pipeline(json, offloader)).out;
    const blocks = JSON.parse(out).content as Record<string, string>[];
    expect(blocks).toHaveLength(5);
    expect(blocks[0]).toEqual({ type: "text", text: "one" });
    expect(blocks[1]?.["text"]).toContain("image/png, 640 x 480 pixels");
    expect(out).toContain(JSON.stringify(small).replaceAll("/", "\\/"));
    expect(blocks[3]?.["text"]).toContain("audio/wav, 128,044 bytes");
    expect(blocks[4]?.["text"]).toContain("application/pdf, 7 pages");
    expect(out).toContain('"_meta":{"a":1.10}');
    expect((await pipeline(json)).out).toBe(json);
  });

  it("stays a descriptor where structured content repeats the files", async () => {
    const content = [imageBlock(png())];
    const json = JSON.stringify({ content, structuredContent: { content } });
    const out = JSON.parse((await pipeline(json, offloader)).out);
    expect(out.structuredContent).toEqual({ offloaded: true, content: out.content });
  });

  it("is shown by the tool as content of the protocol", async () => {
    const bytes = jpeg(1024, 768);
    const json = JSON.stringify({
      content: [{ type: "text", text: "long ".repeat(9_000) }, imageBlock(bytes, "image/png")],
    });
    const { out, artifact } = await pipeline(json, offloader);
    const [, block] = JSON.parse(out).content as { text: string }[];
    expect(block?.text).toContain("image/jpeg (the tool said image/png), 1,024 x 768 pixels");
    const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(block?.text ?? "")?.[0];
    const tools = createOwnTools(offloader, artifact?.sessionKey ?? "");
    const shown = JSON.parse(
      await tools.call("view_tool_output", { id }, new AbortController().signal),
    );
    expect(shown.content[1]).toEqual({
      type: "image",
      mimeType: "image/jpeg",
      data: bytes.toString("base64"),
    });
  });
});
