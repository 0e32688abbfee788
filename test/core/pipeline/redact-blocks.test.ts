import { describe, expect, it } from "vitest";

import { openedOffloaders } from "../../opened-offloaders.js";
import { redact as redactPlugin } from "../../../src/plugins/redact/redact.js";

const SECRET = "zebra-7431-quartz";
const sessionId = "s";
const opened = openedOffloaders();
const redact = (given: string): string => given.replaceAll(SECRET, "***");

describe("redact in content blocks", () => {
  it.each<[string, object]>([
    ["a key", { type: "json", json: { [SECRET]: { paid: true } } }],
    ["a key beside a text", { type: "text", text: "hi", _meta: { [`of/${SECRET}`]: 1 } }],
    ["what is called type in data", { type: "json", json: { type: `of ${SECRET}` } }],
    ["what is called as a file is", { type: "json", json: { blob: SECRET, file_data: SECRET } }],
    ["JSON beside its media type", { mimeType: "application/json", data: `{"n":"${SECRET}"}` }],
    ["text behind an address", { type: "file", url: `data:text/plain,${SECRET}` }],
  ])("leaves nothing of it in %s", async (_name, block) => {
    const { offloader } = opened({ plugins: [redactPlugin(redact)] });
    const value = [{ type: "text", text: "short" }, block];
    const result = await offloader.offload({ toolName: "t", value, sessionId });
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it("replaces a number of a block, and leaves the others numbers", async () => {
    const digits = (given: string): string => given.replaceAll(/\d{16}/g, "[card]");
    const { offloader } = opened({ plugins: [redactPlugin(digits)] });
    const block = { type: "json", json: { card: 4_111_111_111_111_111, paid: [7, 2.5] } };
    const value = [{ type: "text", text: "short" }, block];
    const result = await offloader.offload({ toolName: "t", value, sessionId });
    expect(JSON.stringify(result)).toContain('{"card":"[card]","paid":[7,2.5]}');
    expect(JSON.stringify(result)).not.toContain("4111111111111111");
  });

  it.each<[string, object]>([
    ["LangChain", { type: "image", source_type: "base64", mime_type: "image/svg+xml" }],
    ["the Model Context Protocol", { type: "audio", mimeType: "audio/wav" }],
    ["OpenAI", { type: "input_audio", format: "wav" }],
  ])("leaves a file in a block of %s as it is", async (_name, fields) => {
    const { offloader } = opened({ plugins: [redactPlugin((given) => given.replaceAll("A", ""))] });
    const block = { ...fields, data: "AAAA".repeat(100) };
    const value = [{ type: "text", text: "short" }, block];
    const result = await offloader.offload({ toolName: "t", value, sessionId });
    expect(JSON.stringify(result)).toContain(block.data);
  });
});
