import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { decodeText } from "../../../src/util/text-encoding.js";
import {
  type Content,
  documentSets,
  type RecordSet,
  setsOf,
} from "../../../src/core/types/content.js";
import {
  arrayOf,
  jsonTokens,
  objectOf,
  spacing,
  stringToken,
  type Tokens,
} from "./arbitrary-json.js";

/** Some keys come twice in an object, also in another spelling. */
const keyToken = fc.oneof(stringToken, fc.constantFrom('"a"', String.raw`"\u0061"`));
const FILLER: Tokens = [`"${"x".repeat(4_000)}"`];

function recordsOf(content: Content): RecordSet {
  const [records] = setsOf(content);
  if (records === undefined) throw new Error(`${content.kind} has no records`);
  return records;
}

function all(records: RecordSet): string[] {
  return Array.from({ length: records.count }, (_, index) => records.at(index));
}

function bodyText(content: Content): string {
  return decodeText(content.body);
}

function keysOf(members: readonly (readonly [string, Tokens])[]): unknown[] {
  return members.map(([key]): unknown => JSON.parse(key));
}

/** White space goes, strings stay: an independent reading of what "as it came" means. */
function compact(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/gs, (part) => (part.startsWith('"') ? part : ""));
}

/** Puts the records back where the envelope has left their place. */
function recompositions(content: Content): string[] {
  if (content.kind === "json-lines") return [all(recordsOf(content)).join("")];
  const records = recordsOf(content);
  const items = all(records);
  if (content.kind !== "json-map")
    return fill(records.envelope ?? "[]", "[]", `[${items.join(",")}]`);
  const members = items.map((item) => {
    const [, key, value] = /^\{"key":("(?:[^"\\]|\\.)*"),"value":(.*)\}$/s.exec(item) ?? [];
    return `${key}:${value}`;
  });
  return fill(records.envelope ?? "{}", "{}", `{${members.join(",")}}`);
}

function fill(envelope: string, place: string, contents: string): string[] {
  return envelope
    .split(place)
    .slice(1)
    .map((_, at) => {
      const parts = envelope.split(place);
      return parts.slice(0, at + 1).join(place) + contents + parts.slice(at + 1).join(place);
    });
}

describe("JSON records, for any JSON", () => {
  it("are the elements of a root array, token for token and in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonTokens, { minLength: 1 }), spacing, async (items, space) => {
        const content = await identifyContent(space(arrayOf(items)));
        const expected = items.map((item) => item.join(""));
        expect(content.kind).toBe("json-array");
        expect(all(recordsOf(content))).toEqual(expected);
        expect(bodyText(content)).toBe(expected.map((item) => `${item}\n`).join(""));
        expect(content.lineCount).toBe(items.length);
      }),
      { numRuns: 75 },
    );
  });

  it("are the elements of an array that outweighs the rest, with the rest as envelope, if its keys come once (D6)", async () => {
    const members = fc.array(fc.tuple(keyToken, jsonTokens), { maxLength: 2 });
    const levels = fc.array(fc.tuple(members, keyToken, members), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(levels, fc.array(jsonTokens), spacing, async (levels, items, space) => {
        let tokens = arrayOf([FILLER, ...items]);
        let envelope: Tokens = ["[]"];
        for (const [before, key, after] of levels) {
          tokens = objectOf([...before, [key, tokens], ...after]);
          envelope = objectOf([...before, [key, envelope], ...after]);
        }
        fc.pre(Buffer.byteLength(envelope.join("")) < 1_000);
        const content = await identifyContent(space(tokens));
        const isAmbiguous = levels.some(([before, key, after]) =>
          keysOf([...before, ...after]).includes(JSON.parse(key)),
        );
        expect(content.kind).toBe(isAmbiguous ? "json-document" : "json-object");
        if (isAmbiguous) return;
        const records = recordsOf(content);
        expect(records.path).toEqual(
          levels.map(([, key]): unknown => JSON.parse(key)).toReversed(),
        );
        expect(records.envelope).toBe(envelope.join(""));
        expect(all(records)).toEqual([FILLER, ...items].map((item) => item.join("")));
      }),
      { numRuns: 50 },
    );
  });

  it("are the members of a map, keys and values as they came, if no key comes twice (D6)", async () => {
    const value = fc.tuple(jsonTokens, jsonTokens).map(([name, rest]) =>
      objectOf([
        ['"name"', name],
        ['"rest"', arrayOf([name])],
        ['"kind"', rest],
      ]),
    );
    const members = fc.array(fc.tuple(keyToken, value), { minLength: 3, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(members, fc.boolean(), spacing, async (members, isNested, space) => {
        const wrapped = objectOf(members);
        // No array may outweigh the map, or be a set beside it.
        const longest = Math.max(...members.map(([, tokens]) => tokens.join("").length));
        fc.pre(longest * 2 < wrapped.join("").length && longest < 1_024);
        const text = space(
          isNested
            ? objectOf([
                ['"all"', wrapped],
                ['"n"', ["1"]],
              ])
            : wrapped,
        );
        const content = await identifyContent(text);
        const isMap = new Set(keysOf(members)).size === members.length;
        expect(content.kind).toBe(isMap ? "json-map" : "json-document");
        if (!isMap) return;
        const records = recordsOf(content);
        expect(records.path).toEqual(isNested ? ["all"] : []);
        expect(records.envelope).toBe(isNested ? '{"all":{},"n":1}' : undefined);
        const expected = members.map(
          ([key, tokens]) => `{"key":${key},"value":${tokens.join("")}}`,
        );
        expect(all(records)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  it("and their envelope give the document's tokens again", async () => {
    await fc.assert(
      fc.asyncProperty(jsonTokens, spacing, async (tokens, space) => {
        const text = space(tokens);
        // A string is looked into, and then it is another document.
        fc.pre(tokens.length > 1);
        const content = await identifyContent(text);
        const isWhole = content.layout === "document";
        const again = isWhole ? [compact(bodyText(content))] : recompositions(content);
        expect(again).toContain(compact(text));
      }),
      { numRuns: 250 },
    );
  });

  it("come one for each document of JSON lines", async () => {
    const container = jsonTokens.filter((tokens) => tokens.length > 1);
    const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n", " \n ");
    await fc.assert(
      fc.asyncProperty(fc.array(container, { minLength: 2 }), lineEnd, async (lines, lineEnd) => {
        const content = await identifyContent(lines.map((line) => line.join("")).join(lineEnd));
        expect(content.kind).toBe("json-lines");
        expect(all(recordsOf(content))).toEqual(lines.map((line) => line.join("")));
      }),
      { numRuns: 50 },
    );
  });
});

it("JSON validation takes what JSON.parse takes and nothing else", async () => {
  const edits = fc.array(
    fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      insert: fc.constantFrom(...'|,|]|}|[|{|"|\\|0|-|.|e|\u0001|\ud800|t'.split("|")),
    }),
    { minLength: 1, maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(jsonTokens, spacing, edits, async (tokens, space, edits) => {
      let text = space(tokens);
      for (const { at, remove, insert } of edits) {
        const from = at % (text.length + 1);
        text = text.slice(0, from) + insert + text.slice(from + remove);
      }
      const content = await identifyContent(text);
      const { kind, layout, body } = content;
      const sets = documentSets(content);
      if (kind === "json-lines") return;
      let isJson = true;
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        isJson = false;
      }
      // A string that holds JSON is unwrapped, and judged as what it holds.
      if (typeof value === "string") return;
      expect(kind.startsWith("json-")).toBe(isJson);
      const stored = decodeText(body);
      // The records of sets have lines of their own in their document.
      if (sets !== undefined) expect(JSON.parse(stored)).toEqual(JSON.parse(text.toWellFormed()));
      else if (layout !== "records") expect(stored).toBe(text.toWellFormed());
    }),
    { numRuns: 500 },
  );
});
