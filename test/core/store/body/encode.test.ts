import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { endSession } from "../../../../src/core/store/lifetime.js";
import { encodeContent, type FileFormat } from "../../../../src/core/store/lay-out.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { newArtifactId, scopeOf } from "../../../../src/core/store/naming.js";

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

describe("endSession", () => {
  it("deletes what a session has stored, and nothing of another", async () => {
    const nowMs = 1_750_000_000_000;
    const store = memoryStore({ now: () => nowMs });
    const ids: string[] = [];
    for (const session of ["one", "one", "two"]) {
      const id = newArtifactId(nowMs);
      ids.push(id);
      await store.put(
        {
          id,
          fileName: `art_tool_output_${id}.txt`,
          kind: "text",
          layout: "text",
          toolName: "t",
          operation: "t",
          detail: "full",
          sizeBytes: 1,
          headerBytes: 0,
          lineCount: 1,
          tokens: 1,
          tokensExact: true,
          recipes: [],
          fields: [],
          createdAt: nowMs,
          expiresAt: nowMs + 1000,
          scope: scopeOf(session),
        },
        [Uint8Array.of(97)],
      );
    }
    const removed = await endSession(store, "one");
    expect(removed.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    expect(await endSession(store, "one")).toEqual([]);
    expect(await store.stat(ids[2] ?? "", scopeOf("two"))).toBeDefined();
  });
});
