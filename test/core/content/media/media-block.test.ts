import { describe, expect, it } from "vitest";

import { mediaBlock } from "../../../../src/core/content/media/media-block.js";
import { noise } from "../../pipeline/media/samples.js";

const bytes = noise(3_000);
const data = bytes.toString("base64");
const address = `data:image/png;base64,${data}`;

const resource = { uri: "file:///a", mimeType: "image/png", blob: data };
const source = { type: "base64", media_type: "image/png", data };
const BLOCKS: Readonly<Record<string, unknown>> = {
  "LangChain, standard": { type: "image", mimeType: "image/png", data },
  "LangChain, bytes": { type: "image", mimeType: "image/png", data: new Uint8Array(bytes) },
  "LangChain, by address": { type: "image", url: address },
  "LangChain, older": { type: "image", source_type: "base64", mime_type: "image/png", data },
  "LangChain, older, by address": { type: "image", source_type: "url", url: address },
  OpenAI: { type: "image_url", image_url: { url: address } },
  "OpenAI, as a text": { type: "image_url", image_url: address },
  "OpenAI, responses": { type: "input_image", image_url: address },
  "OpenAI, file": { type: "file", file: { filename: "a.png", file_data: address } },
  "OpenAI, input file": { type: "input_file", filename: "a.png", file_data: address },
  Anthropic: { type: "image", source },
  "Anthropic, document": { type: "document", source },
  "Google, in LangChain": { type: "media", mimeType: "image/png", data },
  "Google, as its models give it": {
    type: "inlineData",
    inlineData: { mimeType: "image/png", data },
  },
  "MCP, resource": { type: "resource", resource },
};

const NONE: Readonly<Record<string, unknown>> = {
  "an address elsewhere": { type: "image", url: "https://example.test/a.png" },
  "a text": { type: "text", text: "data:image/png;base64,AAAA" },
  "a text of an older block": { type: "file", source_type: "text", text: "abc" },
  "an id of a file": { type: "file", file: { file_id: "file-1" } },
  "a record of a type of its own": { type: "export", data, mimeType: "image/png", rows: 200 },
  "a record without a type": { mimeType: "image/png", data, attachmentId: "7" },
  "a record with an address": { url: address, width: 3 },
  "an address without base64": { type: "image", url: "data:image/svg+xml,<svg/>" },
  "no object": "AAAA",
  nothing: null,
};

describe("a content block with bytes", () => {
  it.each(Object.entries(BLOCKS))("is understood: %s", async (_, block) => {
    const media = mediaBlock(block);
    expect(Buffer.compare((await media?.bytes()) ?? Buffer.alloc(0), bytes)).toBe(0);
    expect(media?.declaredType).toBe("image/png");
    expect(media?.sizeBytes).toBeGreaterThanOrEqual(bytes.length);
  });

  it.each(Object.entries(NONE))("is not taken for one: %s", (_, block) => {
    expect(mediaBlock(block)).toBeUndefined();
  });

  it.each(["not base64 at all", "AAA\u{1F600}", "AAAA====", "A", "AA==AA==", ""])(
    "gives no bytes for a text that is no base64, so that nothing of it is lost: %s",
    async (text) => {
      const block = mediaBlock({ type: "image", mimeType: "image/png", data: text });
      expect(await block?.bytes()).toBeUndefined();
    },
  );

  it("gives its bytes over several MiB, also with line ends and in the alphabet of addresses", async () => {
    const large = noise(2_500_001);
    for (const text of [
      large.toString("base64").replaceAll(/.{76}/g, "$&\r\n"),
      large.toString("base64url"),
    ]) {
      const found = await mediaBlock({ type: "image", mimeType: "image/png", data: text })?.bytes();
      expect(Buffer.compare(found ?? Buffer.alloc(0), large)).toBe(0);
    }
  });

  it("lets others run, however many line ends there are", async () => {
    let turns = 0;
    const data = `AAAA${"\n".repeat(8_000_000)}AAAA`;
    const reading = mediaBlock({ type: "image", mimeType: "image/png", data })?.bytes();
    const timer = setInterval(() => (turns += 1), 0);
    await reading;
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it("is none where looking at it throws", () => {
    const block = Object.defineProperty({ type: "image" }, "data", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(mediaBlock(block)).toBeUndefined();
  });
});
