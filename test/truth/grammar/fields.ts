import {
  type Fact,
  fieldTruth,
  hasCount,
  hasExample,
  hasColumns,
  hasKeys,
  hasTypeAt,
  hasLengths,
  hasValues,
  hiddenTruth,
  isKind,
  isRange,
  isUnique,
  ofItems,
  ofKind,
  someLack,
} from "../truths/fields.js";
import {
  either,
  type Kind,
  listOf,
  literal,
  mapOf,
  objectWith,
  plainKind,
} from "../truths/kinds.js";
import {
  type Claim,
  notChecked,
  notUnderstood,
  numberOf,
  scan,
  type Scanner,
  unquoted,
} from "./scanner.js";

const NUMBER = String.raw`-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const WORD = String.raw`[\p{L}\p{N}](?:[^",;:×]*[^",;:×\s])?`;
const VALUE_TEXT = String.raw`(?:${STRING}|-?${WORD})`;
const re = (source: string): RegExp => new RegExp(source, "uys");

const TAIL = /; (?:(\d+|some) (null|empty)|absent in (\d+|some))$/;
const REST = /^(?:at least )?(?:([\d,]+) )?more fields?(?:: .*)?$/s;
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
const DISTINCT = re(String.raw`, (\d+) distinct`);
const EXAMPLE = re(String.raw`, e\.g\. (${VALUE_TEXT}(?:, ${VALUE_TEXT})*)`);
const WORD_EXAMPLE = re(String.raw` \(e\.g\. (${STRING}|[^")]+?)\)(?= or |;|\)|$)`);
const OPEN = re(String.raw`\(`);
const CLOSE = re(String.raw`\)`);
const VALUES = re(": ");
const VALUE = re(String.raw`(${VALUE_TEXT})(?: ×(\d+))?(?=, | or |;|\)|$)`);
/** Of a list's items, how many are null follows their values. */
const NEXT_VALUE = re(String.raw`, (?!\d+ (?:null|empty)(?=[,;)}]|$))`);
const LONGEST = re(String.raw`, up to (\d+) characters`);
const LITERAL = re(String.raw`(${STRING}|-?\d[\d.eE+-]*|true|false)(?=[,}]|$)`);
const LENGTH = re(String.raw` of (\d+)(?: to (\d+))?(?: \((\d+) in total\))?`);
const OF_KIND = re(" of ");
const NULLS = re(String.raw`, (\d+) null`);
const EMPTIES = re(String.raw`, (\d+) empty`);
const MAP = re(
  String.raw`map(?: with (at least )?(\d+) keys \((.*?)\))?(?=, (?:each |apart from |[a-z ]*…))`,
);
const COLUMNS = re(String.raw`(\d+) lists of equal length: ((?:${STRING}|[^;"])+)`);
const EACH = re(", each ");
const ODD = re(
  String.raw`(?:, apart from |, )(\d+) (object|list|text|number|boolean|null) \(((?:${STRING}|[^)"])*)\)`,
);
const KEY_IN_LIST = new RegExp(String.raw`${STRING}|[^,\s][^,]*`, "g");
const CURLY = re(String.raw`\{`);
const CURLY_END = re(String.raw`\}`);
const KEY = re(String.raw`("[^"]*…\??(?=[:,}])|${STRING}\??|[^,:{}"…]+(?:…\??)?)`);
const COLON = re(":(?: |(?=…))");
const CUT = re(String.raw`(?:"[^"]*|[^{}(),:"]*)…(?=$|, \d+ null|;| or |\)|\})`);
const LEFT_OUT = re("…");
/** A bracket that is open where its object was cut. */
const CUT_OFF = re(String.raw`(?<=…)(?=\})`);

/** What is said of the fields of one set: `set` is empty where there is only one. */
export function fieldClaims(schema: unknown, set: string): readonly Claim[] {
  const of = set === "" ? "" : `${set} `;
  if (typeof schema === "string") return factClaims(schema, set, "", `${of}record`);
  if (typeof schema !== "object" || schema === null)
    return [notUnderstood(`${of}${JSON.stringify(schema)}`)];
  const entries = Object.entries(schema);
  return entries.flatMap(([name, text]): readonly Claim[] => {
    if (typeof text !== "string") return [notUnderstood(`${of}${name}: ${JSON.stringify(text)}`)];
    if (name !== "…") return factClaims(text, set, name === "(record)" ? "" : name, `${of}${name}`);
    const found = REST.exec(text);
    if (found === null) return [notUnderstood(`${of}…: ${text}`)];
    const names = entries.map(([key]) => key).filter((key) => key !== "…");
    const said = `${of}${text}`;
    if (found[1] === undefined || text.startsWith("at least")) return [notChecked(said)];
    const count = numberOf(found[1]);
    return [{ said, truth: (evidence) => hiddenTruth(set, names, count, evidence) }];
  });
}

function factClaims(text: string, set: string, name: string, label: string): readonly Claim[] {
  if (text.startsWith("not examined, because each is too long")) return [];
  const facts = factsOf(text);
  // Keys inside of lists and maps are written as they are, whatever marks they have.
  if (facts === undefined && text.includes("{")) return [notChecked(`${label}: ${text}`)];
  if (facts === undefined) return [notUnderstood(`${label}: ${text}`)];
  return facts.map((fact) => ({
    said: `${label}: ${fact.said}`,
    truth: (evidence) => fieldTruth(set, name, fact, evidence),
  }));
}

/** The facts that one line tells; `undefined` where some of it is not understood. */
export function factsOf(text: string): readonly Fact[] | undefined {
  const facts: Fact[] = [];
  let head = text;
  for (let tail = TAIL.exec(head); tail !== null; tail = TAIL.exec(head)) {
    const [words, some, what, absent, times = absent ?? some ?? ""] = tail;
    head = head.slice(0, -words.length);
    if (times === "some") continue;
    const counted = absent !== undefined ? "absent" : what === "null" ? "null" : "empty";
    facts.push({ said: words.slice(2), truth: hasCount(counted, Number(times)) });
  }
  if (head.endsWith("?")) {
    facts.push({ said: "?", truth: someLack });
    head = head.slice(0, -1);
  }
  const scanner = scan(head);
  const kind = readKind(scanner, facts);
  if (kind === undefined || !scanner.isAtEnd()) return undefined;
  return [{ said: kind.words, truth: isKind(kind) }, ...facts];
}

/** A kind, and the facts beside it where it stands for itself; inside others there are kinds only. */
function readKind(scanner: Scanner, facts: Fact[] = []): Kind | undefined {
  const kinds: Kind[] = [];
  do {
    const times = scanner.take(TIMES)?.[1];
    const own: Fact[] = [];
    const kind = readOne(scanner, own);
    if (kind === undefined) return undefined;
    if (times === undefined) facts.push(...own);
    else {
      const count = Number(times);
      facts.push({ said: `${times}× ${kind.words}`, truth: ofKind(kind, count) });
      for (const { said, truth } of own)
        facts.push({ said: `${kind.words} ${said}`, truth: ofKind(kind, count, truth) });
    }
    kinds.push(kind);
  } while (scanner.take(OR) !== undefined);
  return kinds.length === 1 ? kinds[0] : either(kinds);
}

function readOne(scanner: Scanner, facts: Fact[]): Kind | undefined {
  const json = scanner.take(LITERAL)?.[1];
  if (json !== undefined) return literal(json);
  if (scanner.take(CUT) !== undefined) return plainKind("any");
  const date = scanner.take(DATE);
  if (date !== undefined) {
    const [, form, min, max = min] = date;
    if (min !== undefined && max !== undefined)
      facts.push({ said: `${min} to ${max}`, truth: isRange("dates", min, max) });
    readValues(scanner, facts);
    return plainKind(form === "date" ? "date" : "date-time");
  }
  if (scanner.take(NUMERALS) !== undefined) {
    readRange(scanner, facts);
    readValues(scanner, facts);
    return plainKind("numerals");
  }
  const map = scanner.take(MAP);
  if (map !== undefined) return readMap(scanner, map, facts);
  const columns = scanner.take(COLUMNS);
  if (columns !== undefined) {
    const [said, count, names = ""] = columns;
    facts.push({ said, truth: hasColumns(Number(count), keysIn(names)) });
    return plainKind("object");
  }
  if (scanner.take(CURLY) !== undefined) return readFields(scanner);
  const plain = scanner.take(PLAIN)?.[1];
  if (plain === undefined) return undefined;
  if (plain === "list") return readList(scanner, facts);
  if (plain === "text") readText(scanner, facts);
  else if (plain !== "null" && plain !== "object") {
    readRange(scanner, facts);
    readValues(scanner, facts);
  }
  return plainKind(plain);
}

function readRange(scanner: Scanner, facts: Fact[]): void {
  const [, min, max = min] = scanner.take(RANGE) ?? [];
  if (min !== undefined && max !== undefined)
    facts.push({ said: `${min} to ${max}`, truth: isRange("numbers", min, max) });
}

function readText(scanner: Scanner, facts: Fact[]): void {
  const word = scanner.take(WORD_EXAMPLE)?.[1];
  if (word !== undefined) facts.push({ said: `e.g. ${word}`, truth: hasExample(unquoted(word)) });
  readCount(scanner, LONGEST, "longest", facts);
  readValues(scanner, facts);
}

/** A count behind a comma, which is the only group of its pattern. */
function readCount(
  scanner: Scanner,
  pattern: RegExp,
  what: Parameters<typeof hasCount>[0],
  facts: Fact[],
): void {
  const [words, count] = scanner.take(pattern) ?? [];
  if (words !== undefined)
    facts.push({ said: words.slice(2), truth: hasCount(what, Number(count)) });
}

function readValues(scanner: Scanner, facts: Fact[]): void {
  if (scanner.take(UNIQUE) !== undefined) facts.push({ said: "unique", truth: isUnique });
  readCount(scanner, DISTINCT, "distinct", facts);
  const [, plain = ""] = scanner.take(EXAMPLE) ?? [];
  for (const [, shown = ""] of plain.matchAll(new RegExp(`(?:^|, )(${VALUE_TEXT})`, "gu")))
    facts.push({ said: `e.g. ${shown}`, truth: hasExample(unquoted(shown)) });
  if (plain !== "" || scanner.take(VALUES) === undefined) return;
  const values: (readonly [string, number | undefined])[] = [];
  const words: string[] = [];
  do {
    const found = scanner.take(VALUE);
    if (found === undefined) break;
    words.push(found[0]);
    values.push([unquoted(found[1] ?? ""), found[2] === undefined ? undefined : Number(found[2])]);
  } while (scanner.take(NEXT_VALUE) !== undefined);
  facts.push({ said: words.join(", "), truth: hasValues(values) });
}

function readList(scanner: Scanner, facts: Fact[]): Kind | undefined {
  const length = scanner.take(LENGTH);
  const isTold = scanner.take(length === undefined ? OF_KIND : COLON) !== undefined;
  const inner: Fact[] = [];
  if (length !== undefined) {
    const [words, min, max = min, total] = length;
    const all = total === undefined ? undefined : Number(total);
    facts.push({ said: `list${words}`, truth: hasLengths(Number(min), Number(max), all) });
  }
  if (!isTold) return listOf(plainKind("any"));
  const of = readGrouped(scanner, inner);
  if (length !== undefined) {
    readCount(scanner, NULLS, "null", inner);
    readCount(scanner, EMPTIES, "empty", inner);
    for (const { said, truth } of inner)
      facts.push({ said: `items ${said}`, truth: ofItems(truth) });
  }
  return of && listOf(of);
}

/** The kinds of a list's entries, or a map's members: several are in brackets. */
function readGrouped(scanner: Scanner, facts: Fact[]): Kind | undefined {
  if (scanner.take(OPEN) === undefined) return readOne(scanner, facts);
  const of = readKind(scanner, facts);
  const isClosed = scanner.take(CLOSE) ?? scanner.take(CUT) ?? scanner.take(CUT_OFF);
  return isClosed === undefined && !scanner.isAtEnd() ? undefined : of;
}

function readMap(
  scanner: Scanner,
  [said, least, count, shown = ""]: RegExpExecArray,
  facts: Fact[],
): Kind | undefined {
  if (count !== undefined && least === undefined)
    facts.push({ said, truth: hasKeys(Number(count), keysIn(shown)) });
  const others: Kind[] = [];
  for (let odd = scanner.take(ODD); odd !== undefined; odd = scanner.take(ODD)) {
    const [words, times = "", type = "", at = ""] = odd;
    facts.push({ said: words, truth: hasTypeAt(type, Number(times), keysIn(at)) });
    others.push(type === "list" ? listOf(plainKind("any")) : plainKind(type));
  }
  // What is not told is cut off.
  const of = scanner.take(EACH) === undefined ? plainKind("any") : readGrouped(scanner, []);
  return of && mapOf(others.length === 0 ? of : either([of, ...others]));
}

function keysIn(list: string): readonly string[] {
  const keys = [...list.matchAll(KEY_IN_LIST)].map(([key]) => key);
  return keys.filter((key) => !key.endsWith("…")).map(unquoted);
}

function readFields(scanner: Scanner): Kind | undefined {
  const of = new Map<string, Kind>();
  const optional = new Set<string>();
  let isCut = false;
  do {
    if (scanner.take(LEFT_OUT) !== undefined) continue;
    const written = scanner.take(KEY)?.[1];
    if (written === undefined) return undefined;
    const key = written.replace(/\?$/, "");
    const kind = scanner.take(COLON) === undefined ? plainKind("text") : readKind(scanner);
    if (kind === undefined) return undefined;
    isCut = key.endsWith("…");
    if (isCut) continue;
    of.set(unquoted(key), kind);
    if (key !== written) optional.add(unquoted(key));
  } while (scanner.take(COMMA) !== undefined);
  const isEnded = (scanner.take(CURLY_END) ?? scanner.take(CUT)) !== undefined;
  return isEnded || isCut || scanner.isAtEnd() ? objectWith(of, optional) : undefined;
}
