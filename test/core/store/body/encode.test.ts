import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { encodeContent, type FileFormat } from "../../../../src/core/store/lay-out.js";

const decoder = new TextDecoder();

async function encoded(text: string, encoding: FileFormat): Promise<unknown> {
  const { content, header } = await encodeContent(await identifyContent(text), text, encoding);
  const { layout, lineCount, body } = content;
  return { layout, header, lineCount, body: decoder.decode(body) };
}

describe("encodeContent", () => {
  const array = '[ {"a": 1}, {"a": 2} ]';
  const lines = { layout: "records", lineCount: 2, body: '{"a":1}\n{"a":2}\n' };

  it("puts the records of an array on lines, with a header or without", async () => {
    expect(await encoded(array, "lro")).toEqual({ ...lines, header: true });
    expect(await encoded(array, "json-lines")).toEqual({ ...lines, header: false });
  });

  it.each(["lro", "json-lines", "original"] as const)(
    "leaves text alone as %s",
    async (encoding) => {
      const text = "one\r\ntwo\ud800";
      const content = await identifyContent(text);
      expect(await encodeContent(content, text, encoding)).toEqual({ content, header: false });
    },
  );
});
