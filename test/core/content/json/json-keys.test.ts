import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createJsonKeySet } from "../../../../src/core/content/json/json-keys.js";

const escaped = (key: string): string =>
  key.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What a set of these keys says of each as it is added. */
function added(tokens: readonly string[]): boolean[] {
  const buffer = Buffer.from(tokens.join(""));
  const keys = createJsonKeySet(buffer, tokens.length);
  let start = 0;
  return tokens.map((token) => {
    const end = start + Buffer.byteLength(token);
    const isNew = keys.add(start, end);
    start = end;
    return isNew;
  });
}

const PRIME = 0x01000193;

function hashedOn(hash: number, text: string): number {
  let next = hash;
  for (const byte of Buffer.from(text)) next = Math.imul(next ^ byte, PRIME);
  return next;
}

/** 2 ** `stages` keys of one hash: of each pair of blocks either goes on to the same state. */
function collidingKeys(stages: number): string[] {
  let keys = [""];
  let hash = 0x811c9dc5;
  for (let stage = 0; stage < stages; stage += 1) {
    const seen = new Map<number, string>();
    for (let tried = 0; ; tried += 1) {
      const block = (tried * 7_919).toString(36).padStart(6, "z");
      const after = hashedOn(hash, block);
      const other = seen.get(after);
      seen.set(after, block);
      if (other === undefined) continue;
      keys = keys.flatMap((key) => [key + other, key + block]);
      hash = after;
      break;
    }
  }
  return keys;
}

describe("a set of keys", () => {
  it("tells of each whether it was there, however it is spelled", () => {
    const spelled = fc
      .tuple(fc.string({ maxLength: 3 }), fc.boolean())
      .map(([key, isEscaped]) => (isEscaped ? `"${escaped(key)}"` : JSON.stringify(key)));
    fc.assert(
      fc.property(fc.array(spelled), (tokens) => {
        const seen = new Set<unknown>();
        const expected = tokens.map((token) => {
          const { size } = seen;
          return seen.add(JSON.parse(token)).size > size;
        });
        expect(added(tokens)).toEqual(expected);
      }),
    );
  });

  it("does not look through many that somebody made to have one hash", () => {
    const keys = collidingKeys(5);
    expect(new Set(keys).size).toBe(32);
    const answers = added(keys.map((key) => JSON.stringify(key)));
    expect(answers.indexOf(false)).toBe(8);
  });
});
