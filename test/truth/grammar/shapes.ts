import type { Members, Shape } from "../claim.js";
import { numberOf, scan, type Scanner, unquoted } from "./scanner.js";

function re(source: string): RegExp {
  return new RegExp(source, "suy");
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const COUNT = String.raw`(\d{1,3}(?:,\d{3})*)`;
const KEY = re(String.raw`(${STRING}|[\w@#$][\w@#$:.-]*…?)`);
const PLAIN_KEY = re(String.raw`(${STRING}|[\w@#$](?:[\w@#$.-]|:(?! ))*…?)`);
const COMMA = re(", ");
const MORE = re(`${COUNT} more(?=, |$)`);
const HAVING = re(String.raw` \(in ${COUNT}\)`);
const COLON = re(": ");
const INLINE = re(String.raw`\{(?=[^}])`);
const CLOSE = re(String.raw`\}`);
const BY_KEY = re(`map of ${COUNT} keys`);
const OBJECT = re("objects?(?![\\w.-])");
const LIST = re("list(?![\\w.-])");
const LISTS = re(String.raw`lists \(${COUNT} `);
const IN_ALL = re(String.raw` in all\)`);
const ITEMS = re(String.raw` of ${COUNT}`);
const SPACE = re(" ");
const OR = re(" or ");
const TOKEN = re(
  String.raw`(${STRING}|-?[\w.+-]+)(?! more| others?|[\w.+-])(?: ×(\d{1,3}(?:,\d{3})*))?`,
);
const MORE_VALUES = re(`${COUNT} others?`);
const KINDS_FIRST = re(
  String.raw`((?:text|number|boolean|null)(?:\|(?:text|number|boolean|null))*) or `,
);
const KINDS = re(String.raw`((?:text|number|boolean|null)(?:\|(?:text|number|boolean|null))*)`);

/** The members of a place; `undefined` where some of it is not understood. */
export function membersOf(text: string): Members | undefined {
  const scanner = scan(text);
  const members = readMembers(scanner);
  return scanner.isAtEnd() ? members : undefined;
}

/** What the values of a place are, where it is no object with members. */
export function shapeOf(text: string): Shape | undefined {
  const scanner = scan(text);
  const shape = readNested(scanner) ?? readScalars(scanner);
  return scanner.isAtEnd() ? shape : undefined;
}

function readMembers(scanner: Scanner): Members | undefined {
  const named: Members["named"][number][] = [];
  let more = 0;
  do {
    const rest = scanner.take(MORE)?.[1];
    if (rest !== undefined) {
      more = numberOf(rest);
      continue;
    }
    const key = (scanner.take(PLAIN_KEY) ?? scanner.take(KEY))?.[1];
    if (key === undefined) return undefined;
    const shape = readShape(scanner);
    if (shape === undefined) return undefined;
    const having = scanner.take(HAVING)?.[1];
    named.push([unquoted(key), shape, having === undefined ? undefined : numberOf(having)]);
  } while (scanner.take(COMMA) !== undefined);
  return { named, more };
}

/** What stands behind a key. */
function readShape(scanner: Scanner): Shape | undefined {
  const nested = readNested(scanner);
  if (nested !== undefined) return nested;
  if (scanner.take(COLON) === undefined) return { scalars: ["text"] };
  return readNested(scanner) ?? readScalars(scanner);
}

function readNested(scanner: Scanner): Shape | undefined {
  const first = scanner.take(KINDS_FIRST)?.[1];
  let shape: Shape | undefined = first === undefined ? undefined : { scalars: first.split("|") };
  do {
    const part = readObject(scanner) ?? readList(scanner);
    if (part === undefined) return undefined;
    shape = { ...shape, ...part };
  } while (scanner.take(OR) !== undefined);
  return shape;
}

function readObject(scanner: Scanner): Shape | undefined {
  const keyCount = scanner.take(BY_KEY)?.[1];
  if (keyCount !== undefined) return { isObject: true, keyCount: numberOf(keyCount) };
  if (scanner.take(OBJECT) !== undefined) return { isObject: true };
  if (scanner.take(INLINE) === undefined) return undefined;
  const inline = readMembers(scanner);
  return inline && scanner.take(CLOSE) !== undefined ? { isObject: true, inline } : undefined;
}

function readList(scanner: Scanner): Shape | undefined {
  const several = scanner.take(LISTS)?.[1];
  if (several !== undefined) {
    const items = readNested(scanner) ?? readScalars(scanner);
    if (scanner.take(IN_ALL) === undefined) return undefined;
    return { isList: true, itemCount: numberOf(several), ...(items !== undefined && { items }) };
  }
  if (scanner.take(LIST) === undefined) return undefined;
  const count = scanner.take(ITEMS)?.[1];
  if (count === undefined) return { isList: true };
  const items =
    scanner.take(SPACE) === undefined ? undefined : (readNested(scanner) ?? readScalars(scanner));
  return { isList: true, itemCount: numberOf(count), ...(items !== undefined && { items }) };
}

function readScalars(scanner: Scanner): Shape | undefined {
  const kinds = scanner.take(KINDS)?.[1];
  if (kinds !== undefined) return { scalars: kinds.split("|") };
  const values: (readonly [string, number])[] = [];
  for (let token = scanner.take(TOKEN); token !== undefined; token = scanner.take(TOKEN)) {
    values.push([token[1] ?? "", numberOf(token[2] ?? "1")]);
    if (scanner.take(re(`, (?=(?:${STRING}|-?[\\w.+-]+) ×|${COUNT} others?)`)) === undefined) break;
  }
  if (values.length > 0) {
    const more = scanner.take(MORE_VALUES)?.[1];
    return { values, ...(more !== undefined && { moreValues: numberOf(more) }) };
  }
  return undefined;
}
