import type { Amount, Claim, Fact, Kind } from "../claim.js";
import { scan, type Scanner, unquoted } from "./scanner.js";

const NUMBER = String.raw`-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?`;
const AMOUNT = String.raw`~?(?:<?\d+%|\d+)`;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const WORD = String.raw`[\p{L}\p{N}](?:[^",×]*[^",×\s])?`;

const TAIL = new RegExp(`, (up to )?(${AMOUNT}) (lack it|lack one|null|empty)$`);
const DIFFERENT = /, (\d+) different$/;
const INSIDE = /^(?:list|map) .*of \{.*(?:…|\})\??(?:, \S+ (?:lack it|null))*$/s;
const REST = /^(?:at least )?(\d+) more fields(?: in .+?)?(?:; .*)?$/s;

/** `12`, `~5%`, `~<1%`. */
function amountOf(text: string): Amount {
  const isShare = text.endsWith("%");
  const digits = Number(text.replaceAll(/[~%<]/g, ""));
  return { value: text.includes("<") ? 0 : digits, isShare };
}

/** What is said of the fields of one set: `set` is empty where there is only one. */
export function fieldClaims(schema: unknown, set: string): readonly Claim[] {
  const of = set === "" ? "" : `${set} `;
  if (typeof schema === "string") return factClaims(schema, set, "", `${of}record`);
  if (typeof schema !== "object" || schema === null)
    return [unknown(`${of}${JSON.stringify(schema)}`)];
  const entries = Object.entries(schema);
  return entries.flatMap(([name, text]): readonly Claim[] => {
    if (typeof text !== "string") return [unknown(`${of}${name}: ${JSON.stringify(text)}`)];
    if (name !== "…") return factClaims(text, set, name, `${of}${name}`);
    const count = REST.exec(text)?.[1];
    const names = entries.map(([key]) => key).filter((key) => key !== "…");
    const said = `${of}${text.split(";")[0]}`;
    if (count === undefined) return [unknown(`${of}…: ${text}`)];
    return [{ kind: "hidden-fields", said, set, names, count: Number(count) }];
  });
}

function unknown(said: string): Claim {
  return { kind: "not-understood", said };
}

function factClaims(text: string, set: string, name: string, label: string): readonly Claim[] {
  if (text.startsWith("not looked at, as each is so long")) return [];
  const facts = factsOf(text);
  // Keys inside of lists and maps are written as they are, whatever marks they have.
  if (facts === undefined && INSIDE.test(text))
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

type Said = readonly [fact: Fact, words: string];

/** The facts that one line tells, each with its words; `undefined` where some of it is not understood. */
function factsOf(text: string): readonly Said[] | undefined {
  const facts: Said[] = [];
  let head = text;
  for (let tail = TAIL.exec(head); tail !== null; tail = TAIL.exec(head)) {
    const [words, most, amount = "", what = ""] = tail;
    const base = what.startsWith("lack") ? "lacks" : what === "null" ? "nulls" : "empties";
    facts.push([
      { fact: most === undefined ? base : `${base}-most`, count: amountOf(amount) },
      words.slice(2),
    ]);
    head = head.slice(0, -words.length);
  }
  if (head.endsWith("?")) {
    facts.push([{ fact: "some-lack" }, "?"]);
    head = head.slice(0, -1);
  }
  const [words, different] = DIFFERENT.exec(head) ?? [];
  if (words !== undefined) {
    facts.push([{ fact: "different", count: Number(different) }, words.slice(2)]);
    head = head.slice(0, -words.length);
  } else if (head.endsWith(", unique")) {
    facts.push([{ fact: "unique" }, "unique"]);
    head = head.slice(0, -", unique".length);
  }
  const scanner = scan(head);
  const kind = readKind(scanner, facts);
  if (kind === undefined || !scanner.isAtEnd()) return undefined;
  return [[{ fact: "kind", kind }, sayKind(kind)], ...facts];
}

function re(source: string): RegExp {
  return new RegExp(source, "suy");
}

const OR = re(" or ");
const DATE = re(String.raw`text (date-time|date)(?: (~?)(\d.*?)(?:\.\.(.+))?$)?`);
const NUMERALS = re(
  String.raw`number in text(?: (~?)(${NUMBER})(?:\.\.(${NUMBER}))?)?(?=$| ×| or |[,)}])`,
);
const ELSE = re(String.raw` ×(${AMOUNT}), else text ×(${AMOUNT})(?: \((${STRING}|${WORD})\))?`);
const TEXT = re("text");
const PLAIN = re("(integer|number|boolean|null|objects?|array|string)");
const VALUES = re(": ");
const VALUE = re(`(${STRING}|${NUMBER}|${WORD})(?: ×(${AMOUNT}))?(?=, |$)`);
const MORE_VALUES = re(String.raw`(~?\d+) more$`);
const COMMA = re(", ");
const RANGE = re(String.raw` (~?)(${NUMBER})(?:\.\.(${NUMBER}))?(?![\d.])`);
const LONGEST = re(String.raw` to (~?)(\d+) characters`);
const EXAMPLE = re(` (${STRING})`);
const TIMES = re(String.raw` ×(${AMOUNT})(?: \((${STRING}|${WORD})\))?`);
const MAP = re(String.raw`map of (~?)(\d+) (more )?keys(?: \((.*?)\))? of `);
const LIST = re(String.raw`list(?: (~?)(\d+)(?:\.\.(\d+))?)?`);
const OF = re(" of ");
const OPEN = re(String.raw`\(`);
const CLOSE = re(String.raw`\)`);
const CURLY = re(String.raw`\{`);
const CURLY_END = re(String.raw`\}`);
const KEY = re(String.raw`(${STRING}|"[^"]*…|[^,:{}"]+)`);
const COLON = re(": ");
const CUT = re(String.raw`[^{}(),:"]*…$`);
const LEFT_OUT = re("…");

/** A kind, and the facts beside it where it stands for itself; inside others there are kinds only. */
function readKind(scanner: Scanner, facts?: Said[]): Kind | undefined {
  const kinds: Kind[] = [];
  do {
    const kind = readOne(scanner, facts);
    if (kind === undefined) return undefined;
    kinds.push(kind);
  } while (scanner.take(OR) !== undefined);
  return kinds.length === 1 ? kinds[0] : { is: "either", of: kinds };
}

function readOne(scanner: Scanner, facts: Said[] = []): Kind | undefined {
  const range = (of: "numbers" | "dates", mark: string, min: string, max = min): void => {
    facts.push([{ fact: "range", of, min, max }, `${mark}${min}..${max}`]);
  };
  if (scanner.take(CUT) !== undefined) return { is: "any" };
  const date = scanner.take(DATE);
  if (date !== undefined) {
    const [, form, mark = "", min, max] = date;
    if (min !== undefined) range("dates", mark, min, max);
    return { is: form === "date" ? "date" : "date-time" };
  }
  const numerals = scanner.take(NUMERALS);
  if (numerals !== undefined) return readNumerals(scanner, numerals, facts, range);
  if (scanner.take(TEXT) !== undefined) return readText(scanner, facts);
  const map = scanner.take(MAP);
  if (map !== undefined) {
    const [words, mark, count, more, shown = ""] = map;
    const keys = shown === "" ? [] : shown.split(", ").filter((key) => !key.endsWith("…"));
    if (mark === "")
      facts.push([
        { fact: "keys", count: Number(count), isPart: more !== undefined, keys },
        words.replace(/ of $/, ""),
      ]);
    const of = readOne(scanner);
    return of && { is: "map", of };
  }
  const list = scanner.take(LIST);
  if (list !== undefined) return readList(scanner, list, facts);
  if (scanner.take(CURLY) !== undefined) return readFields(scanner);
  const plain = scanner.take(PLAIN)?.[1];
  if (plain === undefined) return undefined;
  if (plain === "integer" || plain === "number" || plain === "boolean") readValues(scanner, facts);
  const bounds = plain === "boolean" ? undefined : scanner.take(RANGE);
  if (bounds !== undefined) range("numbers", bounds[1] ?? "", bounds[2] ?? "", bounds[3]);
  if (plain.startsWith("object")) return { is: "object" };
  if (plain === "array") return { is: "list", of: { is: "any" } };
  return { is: plain === "string" ? "text" : (plain as "integer" | "number" | "boolean" | "null") };
}

function withExample(kind: Kind, example: string | undefined, facts: Said[]): Kind {
  if (example !== undefined)
    facts.push([{ fact: "example", text: unquoted(example) }, `e.g. ${example}`]);
  return kind;
}

function readNumerals(
  scanner: Scanner,
  [, mark = "", min, max]: RegExpExecArray,
  facts: Said[],
  range: (of: "numbers", mark: string, min: string, max?: string) => void,
): Kind {
  if (min !== undefined) range("numbers", mark, min, max);
  const mixed = scanner.take(ELSE);
  if (mixed === undefined) return { is: "numerals" };
  const [words, count = "", others = "", word] = mixed;
  facts.push([
    { fact: "numerals", count: amountOf(count) },
    words.split(", else")[0]?.trim() ?? "",
  ]);
  facts.push([
    {
      fact: "others",
      count: amountOf(others),
      ...(word !== undefined && { word: unquoted(word) }),
    },
    words.slice(words.indexOf("else")),
  ]);
  return { is: "text" };
}

function readText(scanner: Scanner, facts: Said[]): Kind {
  const times = scanner.take(TIMES);
  if (times !== undefined) {
    const [words, count = "", word] = times;
    facts.push([
      {
        fact: "texts",
        count: amountOf(count),
        ...(word !== undefined && { word: unquoted(word) }),
      },
      `text${words}`,
    ]);
    return { is: "text" };
  }
  if (readValues(scanner, facts)) return { is: "text" };
  const longest = scanner.take(LONGEST);
  if (longest !== undefined) {
    const [words, mark, count] = longest;
    facts.push([{ fact: "longest", count: Number(count), isSample: mark !== "" }, words.trim()]);
  }
  return withExample({ is: "text" }, scanner.take(EXAMPLE)?.[1], facts);
}

function readValues(scanner: Scanner, facts: Said[]): boolean {
  if (scanner.take(VALUES) === undefined) return false;
  const values: (readonly [string, Amount | undefined])[] = [];
  let more = 0;
  const words: string[] = [];
  do {
    const rest = scanner.take(MORE_VALUES);
    const found = rest ?? scanner.take(VALUE);
    if (found === undefined) return false;
    words.push(found[0]);
    if (rest !== undefined) more = Number(rest[1]?.replace("~", ""));
    else
      values.push([
        unquoted(found[1] ?? ""),
        found[2] === undefined ? undefined : amountOf(found[2]),
      ]);
  } while (scanner.take(COMMA) !== undefined);
  facts.push([{ fact: "values", values, more }, words.join(", ")]);
  return true;
}

function readList(
  scanner: Scanner,
  [, mark, min, max = min]: RegExpExecArray,
  facts: Said[],
): Kind | undefined {
  if (min !== undefined)
    facts.push([
      { fact: "lengths", min: Number(min), max: Number(max) },
      `list ${mark}${min}..${max}`,
    ]);
  if (scanner.take(OF) === undefined) return { is: "list", of: { is: "any" } };
  const isGrouped = scanner.take(OPEN) !== undefined;
  // Without brackets an `or` behind the entries is of what the list stands in, unless they are objects.
  const of = isGrouped ? readKind(scanner) : readOne(scanner);
  if (
    of === undefined ||
    (isGrouped &&
      scanner.take(CLOSE) === undefined &&
      scanner.take(CUT) === undefined &&
      !scanner.isAtEnd())
  )
    return undefined;
  return { is: "list", of };
}

function readFields(scanner: Scanner): Kind | undefined {
  const of = new Map<string, Kind>();
  let rest: Kind | undefined;
  do {
    if (scanner.take(LEFT_OUT) !== undefined) continue;
    const key = scanner.take(KEY)?.[1];
    if (key === undefined) return undefined;
    const kind: Kind | undefined =
      scanner.take(COLON) === undefined ? { is: "text" } : readKind(scanner);
    if (kind === undefined) return undefined;
    if (key === "<key>") rest = kind;
    else if (!key.endsWith("…")) of.set(unquoted(key), kind);
  } while (scanner.take(COMMA) !== undefined);
  if (
    scanner.take(CURLY_END) === undefined &&
    scanner.take(CUT) === undefined &&
    !scanner.isAtEnd()
  )
    return undefined;
  return { is: "fields", of, ...(rest !== undefined && { rest }) };
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
