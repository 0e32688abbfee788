import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { encodeContent, type FileFormat } from "../../../src/core/store/lay-out.js";
import { prefixName, sessionKeyOf } from "../../../src/core/store/naming.js";
import { newArtifact } from "../../../src/core/store/new-artifact.js";

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

function header(
  args: Record<string, unknown>,
  { operation = "recall", path = [] as string[], envelope = undefined as string | undefined } = {},
): string {
  const records = { count: 247, path, envelope, at: () => "{}" };
  const made = newArtifact({
    output: { toolName: "recall_memories", value: "", sessionId: "one", args },
    sessionKey: sessionKeyOf("one"),
    content: {
      kind: "json-array",
      layout: "records",
      body: Buffer.alloc(0),
      lineCount: 1,
      records,
    },
    bodyBytes: 0,
    bodySha256: undefined,
    measurement: { tokens: 38_285, exact: true, characters: 0, overLimit: true },
    operation,
    detail: "light",
    header: true,
    fileName: prefixName("atlatl"),
    schemaVersion: "1.1.0",
    recipes: [],
    fields: [],
    nowMs: Date.UTC(2026, 0, 15, 10, 30),
    ttlMs: 1,
  });
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(made.header);
}

describe("header line", () => {
  it("rule 21: is one line of valid UTF-8 that reads back, whatever the fields hold", () => {
    const anyText = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.array(anyText),
        fc.jsonValue(),
        (operation, query, path, around) => {
          const envelope = JSON.stringify(around, null, 1);
          const text = header({ query }, { operation, path, envelope });
          expect(text.indexOf("\n")).toBe(text.length - 1);
          expect(JSON.parse(text)).toEqual(
            expect.objectContaining({ operation, query, envelope: JSON.parse(envelope) }),
          );
        },
      ),
    );
  });
});
