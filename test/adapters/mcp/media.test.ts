import { afterAll, describe, expect, it } from "vitest";

import { createOwnTools, inProtocol } from "../../../src/adapters/mcp/own-tools.js";
import { offloadResult } from "../../../src/adapters/mcp/tool-result.js";
import { createOffloader, sessionKeyOf } from "../../../src/core.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { imageBlock, jpeg, pdf, png, wav } from "../../core/pipeline/media/samples.js";
import { media } from "../../../src/plugins/media/media.js";

const SESSION = "session";
const answered = { toolName: "shot", args: {}, toolCallId: "c1", sessionId: SESSION };
const offloader = inProtocol(createOffloader({ store: memoryStore(), plugins: [media()] }));
const off = createOffloader({ store: memoryStore() });
afterAll(async () => {
  await Promise.all([offloader.close(), off.close()]);
});

const resource = (bytes: Buffer) => ({
  type: "resource",
  resource: {
    uri: "file:///report.pdf",
    mimeType: "application/pdf",
    blob: bytes.toString("base64"),
  },
});
const idIn = (text: string): string => /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(text)?.[0] ?? "";

describe("a result with images, sounds and resources of bytes", () => {
  it("has a descriptor in the place of each large one, and everything else as it came", async () => {
    const small = imageBlock(png(4, 4, 10));
    const sound = { type: "audio", mimeType: "audio/wav", data: wav(8).toString("base64") };
    const content = [
      { type: "text", text: "one" },
      imageBlock(png()),
      small,
      sound,
      resource(pdf(7)),
    ];
    const json = `{ "content" : ${JSON.stringify(content).replaceAll("/", "\\/")}, "_meta":{"a":1.10}}`;
    const out = await offloadResult(offloader, json, JSON.parse(json), answered);
    const blocks = JSON.parse(out).content as Record<string, string>[];
    expect(blocks).toHaveLength(5);
    expect(blocks[0]).toEqual({ type: "text", text: "one" });
    expect(blocks[1]?.["text"]).toContain("image/png, 640 x 480 pixels");
    expect(out).toContain(JSON.stringify(small).replaceAll("/", "\\/"));
    expect(blocks[3]?.["text"]).toContain("audio/wav, 128,044 bytes");
    expect(blocks[4]?.["text"]).toContain("application/pdf, 7 pages");
    expect(out).toContain('"_meta":{"a":1.10}');
    expect(await offloadResult(off, json, JSON.parse(json), answered)).toBe(json);
  });

  it("stays a descriptor where structured content repeats the files", async () => {
    const content = [imageBlock(png())];
    const json = JSON.stringify({ content, structuredContent: { content } });
    const out = JSON.parse(await offloadResult(offloader, json, JSON.parse(json), answered));
    expect(out.structuredContent).toEqual({ offloaded: true, content: out.content });
  });

  it("leaves an error, and a result without large ones, as the same text", async () => {
    const failed = JSON.stringify({ content: [imageBlock(png())], isError: true });
    expect(await offloadResult(offloader, failed, JSON.parse(failed), answered)).toBe(failed);
    const small = JSON.stringify({
      content: Array.from({ length: 40 }, () => imageBlock(png(4, 4, 2_000))),
    });
    expect(await offloadResult(offloader, small, JSON.parse(small), answered)).toBe(small);
  });

  it("is shown by the tool as content of the protocol", async () => {
    const bytes = jpeg(1024, 768);
    const json = JSON.stringify({
      content: [{ type: "text", text: "long ".repeat(9_000) }, imageBlock(bytes, "image/png")],
    });
    const out = await offloadResult(offloader, json, JSON.parse(json), answered);
    const [, block] = JSON.parse(out).content as { text: string }[];
    expect(block?.text).toContain("image/jpeg (the tool said image/png), 1,024 x 768 pixels");
    const id = idIn(block?.text ?? "");
    const tools = createOwnTools(offloader, sessionKeyOf(SESSION));
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
