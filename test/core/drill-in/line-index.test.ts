import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLineIndex } from "../../../src/core/drill-in/line-index.js";
import { createTestStore } from "./stored-outputs.js";
import { countTurns } from "../../count-turns.js";

const BLOCK_BYTES = 65_536;

/** A text of some blocks whose characters and line ends lie across the block boundaries. */
const longText = fc
  .record({
    before: fc.integer({ min: BLOCK_BYTES - 6, max: BLOCK_BYTES + 2 }),
    pieces: fc.array(fc.constantFrom("\n", "\r\n", "a", "é", "漢", "😀", "\ud800 "), {
      minLength: 1,
      maxLength: 12,
    }),
    filler: fc.constantFrom("x", "y\n", "é", "漢", "😀", "\n"),
    repeat: fc.constantFrom(0, 1, 33_000, 45_001),
  })
  .map(({ before, pieces, filler, repeat }) =>
    ["b".repeat(before), ...pieces, filler.repeat(repeat), ...pieces].join(""),
  );

/** Beginnings of characters, what may follow none, and what looks like a character and is none. */
const BROKEN = "80 ff e282 e2 f09f98 c080 eda080 f4908080 e080 f080 c3"
  .split(" ")
  .map((hex) => Buffer.from(hex, "hex"));

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Characters that begin at most four bytes from where a block does, each with its byte. */
function charactersNearBlockEdges(characters: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  let byte = 0;
  for (const [character, text] of characters.entries()) {
    const distance = byte % BLOCK_BYTES;
    if (distance <= 4 || distance >= BLOCK_BYTES - 4) found.push([character, byte]);
    byte += bytesOf(text);
  }
  return found;
}

describe("line index", () => {
  it("finds the byte of every line and character that a scan of the whole text finds", async () => {
    await fc.assert(
      fc.asyncProperty(
        longText,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (text, place) => {
          const store = createTestStore();
          const index = createLineIndex(store, store.add(text));
          const characters = Array.from(text);
          const lineEnds = text.split("\n").length - 1;
          const lines = text.endsWith("\n") ? lineEnds : lineEnds + 1;

          for (const [character, byte] of charactersNearBlockEdges(characters)) {
            expect(await index.characterStart(character)).toBe(byte);
            expect((await index.before(byte)).characters).toBe(character);
          }
          expect(await index.characterStart(characters.length)).toBe(bytesOf(text));
          expect(await index.characterStart(characters.length + 1)).toBeUndefined();

          const line = 1 + Math.floor(place * (lines - 1));
          const before = text.split("\n").slice(0, line - 1);
          expect(await index.lineStart(line)).toBe(
            bytesOf(before.map((text) => `${text}\n`).join("")),
          );
          expect(await index.lineStart(lines + 1)).toBeUndefined();
          expect(await index.before(bytesOf(text))).toMatchObject({
            lines: lineEnds,
            characters: characters.length,
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("counts bytes that are no UTF-8 as the decoder does, wherever a block ends", async () => {
    const pieces = fc.constantFrom("a", "é", "漢", "😀", "\n", ...BROKEN);
    const body = fc
      .tuple(
        fc.integer({ min: BLOCK_BYTES - 9, max: BLOCK_BYTES + 2 }),
        fc.array(pieces, { minLength: 1, maxLength: 30 }),
      )
      .map(([before, all]) =>
        Buffer.concat([Buffer.alloc(before, "b"), ...all.map((piece) => Buffer.from(piece))]),
      );
    await fc.assert(
      fc.asyncProperty(body, fc.nat(40), async (bytes, fromEnd) => {
        const read = async (_: unknown, range = { start: 0, end: bytes.length }) =>
          bytes.subarray(range.start, range.end);
        const artifact = { ...createTestStore().add("x"), sizeBytes: bytes.length };
        const index = createLineIndex({ read }, artifact);
        const all = Array.from(bytes.toString()).length;
        const character = Math.max(0, all - fromEnd);
        const byte = await index.characterStart(character);
        expect(Array.from(bytes.toString("utf8", 0, byte)).length).toBe(character);
        expect(Array.from(bytes.toString("utf8", byte)).length).toBe(all - character);
        expect((await index.before(byte ?? 0)).characters).toBe(character);
        expect((await index.before(bytes.length)).characters).toBe(all);
      }),
      { numRuns: 100 },
    );
  });

  it("leaves turns to others while it grows, also over a store that answers at once", async () => {
    const store = createTestStore();
    const index = createLineIndex(store, store.add("é\n".repeat(4_000_000)));
    const counted = countTurns();
    await index.before(12_000_000);
    counted.stop();
    expect(counted.turns()).toBeGreaterThan(8);
  });
});
