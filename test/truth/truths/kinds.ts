import type { Kind } from "../claim.js";
import { isObject, memberOf } from "./evidence.js";
import { textOf } from "../grammar/scanner.js";

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
  if (value === null || value === "") return true;
  switch (kind.is) {
    case "any":
      return true;
    case "null":
      return false;
    case "text":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return isRows
        ? isNumeral(textOf(value)) && Number.isInteger(Number(value))
        : typeof value === "number" && Number.isInteger(value);
    case "number":
      return isRows ? isNumeral(textOf(value)) : typeof value === "number";
    case "numerals":
      return typeof value === "string" && isNumeral(value);
    case "date":
      return typeof value === "string" && ISO_DAY.test(value);
    case "date-time":
      return typeof value === "string" && (ISO_TIME.test(value) || ISO_DAY.test(value));
    case "object":
      return isObject(value);
    case "list":
      return Array.isArray(value) && value.every((item) => isOf(item, kind.of, isRows));
    case "map":
      return (
        isObject(value) && Object.values(value).every((member) => isOf(member, kind.of, isRows))
      );
    case "fields":
      return (
        isObject(value) &&
        [...kind.of].every(
          ([key, one]) => isAbsent(value, key) || isOf(memberOf(value, key), one, isRows),
        )
      );
    case "value":
      return JSON.stringify(value) === JSON.stringify(JSON.parse(kind.json));
    case "either":
      return kind.of.some((one) => isOf(value, one, isRows));
  }
}

function isAbsent(value: unknown, key: string): boolean {
  return memberOf(value, key) === undefined;
}

/** A field that is marked as absent or null in some objects, though all of them have it. */
export function wronglyOptional(values: readonly unknown[], kind: Kind): string | undefined {
  const objects = values.filter((value) => isObject(value));
  switch (kind.is) {
    case "list":
      return wronglyOptional(values.filter((value) => Array.isArray(value)).flat(), kind.of);
    case "map":
      return wronglyOptional(
        objects.flatMap((value) => Object.values(value)),
        kind.of,
      );
    case "either":
      return kind.of.map((one) => wronglyOptional(values, one)).find((key) => key !== undefined);
    case "fields": {
      for (const [key, one] of kind.of) {
        const members = objects.map((value) => memberOf(value, key));
        const isInAll = members.every((member) => member !== undefined && member !== null);
        if (kind.optional.has(key) && isInAll) return key;
        const inner = wronglyOptional(members, one);
        if (inner !== undefined) return inner;
      }
      return undefined;
    }
    default:
      return undefined;
  }
}
