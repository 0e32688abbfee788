import { tmpdir } from "node:os";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { oneSet } from "../../../../src/core/types/content.js";
import { holdStream } from "../../../../src/core/content/stream/held-stream.js";
import { spoolOutput } from "../../../../src/core/content/stream/read-to-end.js";
import { decodeText } from "../../../../src/util/text-encoding.js";

const place = { directory: tmpdir(), isEncrypted: false };
const forms = ["table", "lines", "array", "documents"] as const;

function written(rows: readonly (readonly [number, string])[], form: (typeof forms)[number]) {
  const records = rows.map(([id, name]) => ({ id, prénom: name }));
  switch (form) {
    case "table":
      return `id,prénom\n${rows.map(([id, name]) => `${id},${name}\n`).join("")}`;
    case "lines":
      return records.map((record) => `${JSON.stringify(record)}\n`).join("");
    case "array":
      return JSON.stringify(records, undefined, 1);
    case "documents":
      return records.map((record) => `${JSON.stringify(record, undefined, 1)}\n`).join("");
  }
}

/** Parts of a text that are cut by the numbers, over and over. */
function* cut(text: string | Buffer, steps: readonly number[]) {
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const end = at + (steps[turn % steps.length] ?? text.length);
    yield text.slice(at, end);
    at = end;
  }
}

async function* stream(parts: Iterable<string | Buffer>) {
  yield* parts;
}

async function spooled(
  parts: Iterable<string | Buffer>,
  { splitsJson = true, maxBytes = 1e9 } = {},
) {
  const held = holdStream(stream(parts), { maxBytes });
  await held.hold(1_000_000);
  const output = await spoolOutput(held, { place, splitsJson });
  const chunks: Buffer[] = [];
  for await (const chunk of output.chunks()) chunks.push(Buffer.from(chunk));
  await output.close();
  const { kind, layout } = output.content;
  const records = oneSet(output.content);
  const body = decodeText(Buffer.concat(chunks));
  return { body, kind, layout, count: records?.count, first: records?.at(0) };
}

const names = fc
  .array(fc.constantFrom("é", "ü", "ß", "ñ", "Å", "a", "o"), { minLength: 1, maxLength: 9 })
  .map((letters) => letters.join(""));
const rows = fc.array(fc.tuple(fc.nat(), names), { minLength: 2, maxLength: 30 });
const steps = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

describe("a stream", () => {
  it.each(forms)(
    "of a %s in Latin-1, or in UTF-16 or UTF-8 with its mark, is what it is as a string, wherever it is cut",
    async (form) => {
      await fc.assert(
        fc.asyncProperty(rows, steps, fc.boolean(), async (all, at, isOther) => {
          const text = written(all, form);
          const how = { splitsJson: isOther };
          const plain = await spooled([text], how);
          const wide = Buffer.from(`\ufeff${text}`, "utf16le");
          if (isOther) wide.swap16();
          for (const bytes of [
            wide,
            Buffer.from(`\ufeff${text}`),
            Buffer.from(text, "latin1"),
            text,
          ])
            expect(await spooled(cut(bytes, at), how)).toEqual(plain);
        }),
        { numRuns: 50 },
      );
    },
  );

  it("is read as UTF-8 by all of its parts, wherever they are cut", async () => {
    const text = `${"plain ".repeat(2_000)}\n${"Привет, мир\n".repeat(20)}`;
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]);
    await fc.assert(
      fc.asyncProperty(steps, async (at) => {
        const sizes = [...at, 11_000];
        expect((await spooled(cut(bytes, sizes))).body).toBe(`${text}\ufffd\n`);
        const parts = [...cut(text, sizes), Buffer.from([0xff, 0xfe, 0x0a])];
        expect((await spooled(parts)).body).toBe(`${text}\ufffd\ufffd\n`);
      }),
      { numRuns: 20 },
    );
  });

  it("that is stopped ends with a whole character, wherever it is cut", async () => {
    const text = "a€é😀".repeat(10);
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(100), fc.boolean(), async (at, maxBytes, isString) => {
        const parts = isString ? cut(text, at) : cut(Buffer.from(text), at);
        const { body } = await spooled(parts, { maxBytes });
        expect(text.startsWith(body)).toBe(true);
        expect(body).not.toContain("\ufffd");
        expect(maxBytes - Buffer.byteLength(body)).toBeLessThan(maxBytes < 100 ? 4 : 101);
      }),
    );
  });
});
