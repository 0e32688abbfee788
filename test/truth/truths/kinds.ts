import { textOf } from "../grammar/scanner.js";
import { isObject, memberOf } from "./evidence.js";

/** What a value of records is said to be. */
export interface Kind {
  /** In the words of descriptors, for reports. */
  readonly words: string;
  /** Whether a value is of it that is neither null nor the empty text. */
  readonly has: (value: unknown, isRows: boolean) => boolean;
  /** A field that is marked as absent or null in some of these objects, though all of them have it. */
  readonly wronglyOptional?: (values: readonly unknown[]) => string | undefined;
}

const NUMERAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
/** The year first, so that they sort as text. */
const ISO_DAY = /^\d{4}([-/])\d\d\1\d\d$/;
const ISO_TIME =
  /^\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Whether a text is a number. */
function isNumeral(text: string): boolean {
  return NUMERAL.test(text.trim());
}

/** Whether a text is a number and written as one: `004` is a text among numbers. */
export function isPlainNumeral(text: string): boolean {
  return isNumeral(text) && !/^[-+]?0\d/.test(text.trim());
}

/** Whether a value is of a kind; null and the empty text are of any, since they are counted apart. */
export function isOf(value: unknown, kind: Kind, isRows: boolean): boolean {
  return value === null || value === "" || kind.has(value, isRows);
}

/** Kinds that are one word. */
const PLAIN: Readonly<Record<string, Kind["has"]>> = {
  any: () => true,
  null: () => false,
  text: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value, isRows) =>
    isRows ? isNumeral(textOf(value)) && Number.isInteger(Number(value)) : Number.isInteger(value),
  number: (value, isRows) => (isRows ? isNumeral(textOf(value)) : typeof value === "number"),
  numerals: (value) => typeof value === "string" && isNumeral(value),
  date: (value) => typeof value === "string" && ISO_DAY.test(value),
  "date-time": (value) =>
    typeof value === "string" && (ISO_TIME.test(value) || ISO_DAY.test(value)),
  object: isObject,
};

export function plainKind(words: string): Kind {
  const has = PLAIN[words];
  if (has === undefined) throw new RangeError(`No kind is ${words}.`);
  return { words, has };
}

/** Just this value. */
export function literal(json: string): Kind {
  const shown = JSON.stringify(JSON.parse(json));
  return { words: "value", has: (value) => JSON.stringify(value) === shown };
}

export function listOf(kind: Kind): Kind {
  return {
    words: `list of ${kind.words}`,
    has: (value, isRows) => Array.isArray(value) && value.every((item) => isOf(item, kind, isRows)),
    wronglyOptional: (values) =>
      kind.wronglyOptional?.(values.filter((value) => Array.isArray(value)).flat()),
  };
}

export function mapOf(kind: Kind): Kind {
  return {
    words: `map of ${kind.words}`,
    has: (value, isRows) =>
      isObject(value) && Object.values(value).every((member) => isOf(member, kind, isRows)),
    wronglyOptional: (values) =>
      kind.wronglyOptional?.(values.filter(isObject).flatMap((value) => Object.values(value))),
  };
}

export function either(kinds: readonly Kind[]): Kind {
  return {
    words: kinds.map(({ words }) => words).join(" or "),
    has: (value, isRows) => kinds.some((kind) => isOf(value, kind, isRows)),
    wronglyOptional: (values) =>
      kinds.map((kind) => kind.wronglyOptional?.(values)).find((key) => key !== undefined),
  };
}

/** Objects with these fields; those that are optional are absent or null in some. */
export function objectWith(fields: ReadonlyMap<string, Kind>, optional: ReadonlySet<string>): Kind {
  const shown = [...fields].map(([key, { words }]) =>
    words === "text" ? key : `${key}: ${words}`,
  );
  return {
    words: `{${shown.join(", ")}}`,
    has: (value, isRows) =>
      isObject(value) &&
      [...fields].every(([key, kind]) => {
        const member = memberOf(value, key);
        return member === undefined || isOf(member, kind, isRows);
      }),
    wronglyOptional: (values) => {
      for (const [key, kind] of fields) {
        const members = values.filter(isObject).map((value) => memberOf(value, key));
        const isInAll = members.every((member) => member !== undefined && member !== null);
        const wrong = optional.has(key) && isInAll ? key : kind.wronglyOptional?.(members);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    },
  };
}
