import type { Claim, Fact, Kind } from "../claim.js";
import { numberOf, scan, type Scanner, unquoted } from "./scanner.js";

const NUMBER = String.raw`-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const WORD = String.raw`[\p{L}\p{N}](?:[^",;:×]*[^",;:×\s])?`;
const VALUE_TEXT = String.raw`(?:${STRING}|-?${WORD})`;
const re = (source: string): RegExp => new RegExp(source, "uys");

const TAIL = /; (?:(\d+|some) (null|empty)|absent in (\d+|some))$/;
const REST = /^(?:at least )?(?:([\d,]+) )?more fields?(?:: .*)?(?:; .* lists them)?$/s;
const TIMES = re(String.raw`(\d+)× `);
const OR = re(" or ");
const COMMA = re(", ");
const DATE = re(
  String.raw`text \((date|timestamp)s\)(?: (\S+(?: [\d:.]+\S*)?(?: UTC| [-+]\d\d:?\d\d)?)(?: to (\S+(?: [\d:.]+\S*)?(?: UTC| [-+]\d\d:?\d\d)?))?(?=,|;| or |$))?`,
);
const NUMERALS = re(String.raw`text \(numbers\)`);
const PLAIN = re(String.raw`(integer|number|boolean|null|text|list|object)(?![\p{L}_])`);
const RANGE = re(String.raw` (${NUMBER})(?: to (${NUMBER}))?(?![\d.])`);
const UNIQUE = re(String.raw`, unique(?=[,;)}]| or |$)`);
const DIFFERENT = re(String.raw`, (\d+) distinct`);
const EXAMPLE = re(String.raw`, e\.g\. (${VALUE_TEXT}(?:, ${VALUE_TEXT})*)`);
const WORD_EXAMPLE = re(String.raw` \(e\.g\. (${STRING}|[^")]+?)\)(?= or |;|\)|$)`);
const OPEN = re(String.raw`\(`);
const CLOSE = re(String.raw`\)`);
const VALUES = re(": ");
const VALUE = re(String.raw`(${VALUE_TEXT})(?: ×(\d+))?(?=, | or |;|\)|$)`);
/** Of a list's items, how many are null follows their values. */
const NEXT_VALUE = re(String.raw`, (?!\d+ (?:null|empty)(?=[,;)}]|$))`);
const LONGEST = re(String.raw`, up to (\d+) characters`);
const MOSTLY = re(String.raw` \((\d+) of (\d+) are numbers(?:; others e\.g\. (${VALUE_TEXT}))?\)`);
const LITERAL = re(String.raw`(${STRING}|-?\d[\d.eE+-]*|true|false)(?=[,}]|$)`);
const LENGTH = re(String.raw` of (\d+)(?: to (\d+))?(?: \((\d+) in total\))?`);
const OF_KIND = re(" of ");
const NULLS = re(String.raw`, (\d+) null`);
const EMPTIES = re(String.raw`, (\d+) empty`);
const MAP = re(String.raw`map(?: with (at least )?(\d+) keys \((.*?)\))?(?=, each )`);
const EACH = re(", each ");
const KEY_IN_LIST = new RegExp(String.raw`${STRING}|[^,\s][^,]*`, "g");
const CURLY = re(String.raw`\{`);
const CURLY_END = re(String.raw`\}`);
const KEY = re(String.raw`("[^"]*…\??(?=[:,}])|${STRING}\??|[^,:{}"]+)`);
const COLON = re(": ");
const CUT = re(String.raw`[^{}(),:"]*…(?=$|, \d+ null|;)`);
const LEFT_OUT = re("…");

/** What is said of the fields of one set: `set` is empty where there is only one. */
export function fieldClaims(schema: unknown, set: string): readonly Claim[] {
  const of = set === "" ? "" : `${set} `;
  if (typeof schema === "string") return factClaims(schema, set, "", `${of}record`);
  if (typeof schema !== "object" || schema === null)
    return [unknown(`${of}${JSON.stringify(schema)}`)];
  const entries = Object.entries(schema);
  return entries.flatMap(([name, text]): readonly Claim[] => {
    if (typeof text !== "string") return [unknown(`${of}${name}: ${JSON.stringify(text)}`)];
    if (name !== "…") return factClaims(text, set, name === "(record)" ? "" : name, `${of}${name}`);
    const found = REST.exec(text);
    if (found === null) return [unknown(`${of}…: ${text}`)];
    const names = entries.map(([key]) => key).filter((key) => key !== "…");
    if (found[1] === undefined || text.startsWith("at least"))
      return [{ kind: "not-checked", said: `${of}${text}` }];
    return [{ kind: "hidden-fields", said: `${of}${text}`, set, names, count: numberOf(found[1]) }];
  });
}

function unknown(said: string): Claim {
  return { kind: "not-understood", said };
}

function factClaims(text: string, set: string, name: string, label: string): readonly Claim[] {
  if (text.startsWith("not examined, because each is too long")) return [];
  const facts = factsOf(text);
  // Keys inside of lists and maps are written as they are, whatever marks they have.
  if (facts === undefined && text.includes("{"))
    return [{ kind: "not-checked", said: `${label}: ${text}` }];
  if (facts === undefined) return [unknown(`${label}: ${text}`)];
  return facts.map(([fact, said]) => ({
    kind: "field",
    said: `${label}: ${said}`,
    set,
    name,
    fact,
  }));
}

export type Said = readonly [fact: Fact, words: string];

/** The facts that one line tells, each with its words; `undefined` where some of it is not understood. */
export function factsOf(text: string): readonly Said[] | undefined {
  const facts: Said[] = [];
  let head = text;
  for (let tail = TAIL.exec(head); tail !== null; tail = TAIL.exec(head)) {
    const [words, some, what, absent, times = absent ?? some ?? ""] = tail;
    head = head.slice(0, -words.length);
    if (times === "some") continue;
    const fact = absent !== undefined ? "absent" : what === "null" ? "nulls" : "empties";
    facts.push([{ fact, count: Number(times) }, words.slice(2)]);
  }
  if (head.endsWith("?")) {
    facts.push([{ fact: "some-lack" }, "?"]);
    head = head.slice(0, -1);
  }
  const scanner = scan(head);
  const kind = readKind(scanner, facts);
  if (kind === undefined || !scanner.isAtEnd()) return undefined;
  return [[{ fact: "kind", kind }, sayKind(kind)], ...facts];
}

/** A kind, and the facts beside it where it stands for itself; inside others there are kinds only. */
function readKind(scanner: Scanner, facts: Said[] = []): Kind | undefined {
  const kinds: Kind[] = [];
  do {
    const times = scanner.take(TIMES)?.[1];
    const own: Said[] = [];
    const kind = readOne(scanner, own);
    if (kind === undefined) return undefined;
    if (times === undefined) facts.push(...own);
    else {
      const count = Number(times);
      facts.push([{ fact: "of-kind", kind, count }, `${times}× ${sayKind(kind)}`]);
      for (const [inner, words] of own)
        facts.push([{ fact: "of-kind", kind, count, inner }, `${sayKind(kind)} ${words}`]);
    }
    kinds.push(kind);
  } while (scanner.take(OR) !== undefined);
  return kinds.length === 1 ? kinds[0] : { is: "either", of: kinds };
}

function readOne(scanner: Scanner, facts: Said[]): Kind | undefined {
  const literal = scanner.take(LITERAL)?.[1];
  if (literal !== undefined) return { is: "value", json: literal };
  if (scanner.take(CUT) !== undefined) return { is: "any" };
  const date = scanner.take(DATE);
  if (date !== undefined) {
    const [, form, min, max = min] = date;
    if (min !== undefined && max !== undefined)
      facts.push([{ fact: "range", of: "dates", min, max }, `${min} to ${max}`]);
    readValues(scanner, facts);
    return { is: form === "date" ? "date" : "date-time" };
  }
  if (scanner.take(NUMERALS) !== undefined) {
    readRange(scanner, facts);
    readValues(scanner, facts);
    return { is: "numerals" };
  }
  const map = scanner.take(MAP);
  if (map !== undefined) return readMap(scanner, map, facts);
  if (scanner.take(CURLY) !== undefined) return readFields(scanner);
  const plain = scanner.take(PLAIN)?.[1];
  if (plain === undefined) return undefined;
  if (plain === "list") return readList(scanner, facts);
  if (plain === "text") readText(scanner, facts);
  else if (plain !== "null" && plain !== "object") {
    readRange(scanner, facts);
    readValues(scanner, facts);
  }
  return { is: plain as "text" | "integer" | "number" | "boolean" | "null" | "object" };
}

function readRange(scanner: Scanner, facts: Said[]): void {
  const [, min, max = min] = scanner.take(RANGE) ?? [];
  if (min !== undefined && max !== undefined)
    facts.push([{ fact: "range", of: "numbers", min, max }, `${min} to ${max}`]);
}

function readText(scanner: Scanner, facts: Said[]): void {
  const mostly = scanner.take(MOSTLY);
  if (mostly !== undefined) {
    const [words, numerals, of, word] = mostly;
    facts.push([
      {
        fact: "numerals",
        count: Number(numerals),
        of: Number(of),
        ...(word !== undefined && { word: unquoted(word) }),
      },
      words.slice(2),
    ]);
    return;
  }
  const word = scanner.take(WORD_EXAMPLE)?.[1];
  if (word !== undefined) facts.push([{ fact: "example", text: unquoted(word) }, `e.g. ${word}`]);
  const longest = scanner.take(LONGEST);
  if (longest !== undefined)
    facts.push([{ fact: "longest", count: Number(longest[1]) }, longest[0].slice(2)]);
  readValues(scanner, facts);
}

function readValues(scanner: Scanner, facts: Said[]): void {
  if (scanner.take(UNIQUE) !== undefined) facts.push([{ fact: "unique" }, "unique"]);
  const different = scanner.take(DIFFERENT);
  if (different !== undefined)
    facts.push([{ fact: "different", count: Number(different[1]) }, different[0].slice(2)]);
  const [, plain = ""] = scanner.take(EXAMPLE) ?? [];
  for (const [, shown = ""] of plain.matchAll(new RegExp(`(?:^|, )(${VALUE_TEXT})`, "gu")))
    facts.push([{ fact: "example", text: unquoted(shown) }, `e.g. ${shown}`]);
  if (plain !== "" || scanner.take(VALUES) === undefined) return;
  const values: (readonly [string, number | undefined])[] = [];
  const words: string[] = [];
  do {
    const found = scanner.take(VALUE);
    if (found === undefined) break;
    words.push(found[0]);
    values.push([unquoted(found[1] ?? ""), found[2] === undefined ? undefined : Number(found[2])]);
  } while (scanner.take(NEXT_VALUE) !== undefined);
  facts.push([{ fact: "values", values }, words.join(", ")]);
}

function readList(scanner: Scanner, facts: Said[]): Kind | undefined {
  const length = scanner.take(LENGTH);
  if (length === undefined) {
    if (scanner.take(OF_KIND) === undefined) return { is: "list", of: { is: "any" } };
    const of = readGrouped(scanner, []);
    return of && { is: "list", of };
  }
  const [, min, max = min, all] = length;
  facts.push([
    {
      fact: "lengths",
      min: Number(min),
      max: Number(max),
      ...(all !== undefined && { all: Number(all) }),
    },
    `list${length[0]}`,
  ]);
  if (scanner.take(COLON) === undefined) return { is: "list", of: { is: "any" } };
  const inner: Said[] = [];
  const of = readGrouped(scanner, inner);
  const nulls = scanner.take(NULLS);
  if (nulls !== undefined)
    inner.push([{ fact: "nulls", count: Number(nulls[1]) }, nulls[0].slice(2)]);
  const empties = scanner.take(EMPTIES);
  if (empties !== undefined)
    inner.push([{ fact: "empties", count: Number(empties[1]) }, empties[0].slice(2)]);
  for (const [fact, words] of inner)
    facts.push([{ fact: "of-items", inner: fact }, `items ${words}`]);
  return of && { is: "list", of };
}

/** The kinds of a list's entries, or a map's members: several are in brackets. */
function readGrouped(scanner: Scanner, facts: Said[]): Kind | undefined {
  if (scanner.take(OPEN) === undefined) return readOne(scanner, facts);
  const of = readKind(scanner, facts);
  const isClosed = scanner.take(CLOSE) ?? scanner.take(CUT);
  return isClosed === undefined && !scanner.isAtEnd() ? undefined : of;
}

function readMap(
  scanner: Scanner,
  [words, least, count, shown = ""]: RegExpExecArray,
  facts: Said[],
): Kind | undefined {
  const keys = keysIn(shown);
  if (count !== undefined && least === undefined)
    facts.push([{ fact: "keys", count: Number(count), keys }, words]);
  const of = scanner.take(EACH) === undefined ? undefined : readGrouped(scanner, []);
  return of && { is: "map", of };
}

function keysIn(shown: string): string[] {
  const keys = [...shown.matchAll(KEY_IN_LIST)].map(([key]) => key);
  return keys.filter((key) => !key.endsWith("…")).map(unquoted);
}

function readFields(scanner: Scanner): Kind | undefined {
  const of = new Map<string, Kind>();
  const optional = new Set<string>();
  do {
    if (scanner.take(LEFT_OUT) !== undefined) continue;
    const written = scanner.take(KEY)?.[1];
    if (written === undefined) return undefined;
    const isOptional = written.endsWith("?");
    const key = isOptional ? written.slice(0, -1) : written;
    const kind: Kind | undefined =
      scanner.take(COLON) === undefined ? { is: "text" } : readKind(scanner);
    if (kind === undefined) return undefined;
    if (key.endsWith("…")) continue;
    of.set(unquoted(key), kind);
    if (isOptional) optional.add(unquoted(key));
  } while (scanner.take(COMMA) !== undefined);
  if (
    scanner.take(CURLY_END) === undefined &&
    scanner.take(CUT) === undefined &&
    !scanner.isAtEnd()
  )
    return undefined;
  return { is: "fields", of, optional };
}

/** A kind in the words of descriptors, for reports. */
function sayKind(kind: Kind): string {
  switch (kind.is) {
    case "either":
      return kind.of.map(sayKind).join(" or ");
    case "list":
    case "map":
      return `${kind.is} of ${sayKind(kind.of)}`;
    case "fields":
      return `{${[...kind.of].map(([key, one]) => (one.is === "text" ? key : `${key}: ${sayKind(one)}`)).join(", ")}}`;
    default:
      return kind.is;
  }
}
