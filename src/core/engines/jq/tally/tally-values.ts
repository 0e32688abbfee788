/// <reference lib="es2024.string" />
import { isRecord } from "../../../../util/is-record.js";
import type { ByteReader } from "../../readers/byte-reader.js";
import { LineTooLongError, readLineBlocks } from "../../readers/line-blocks.js";
import type { TallyPlan } from "./tally-filter.js";

const MAX_LINE_CHARACTERS = 16_384;
const BLOCK_BYTES = 256 * 1024;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 1_048_576;
const REPLACED = "\ufffd";

class Unknown extends Error {}

/**
 * Counts the values that a plan asks for, of a body that has one JSON value a line: `[{"k": value, "n": count}, …]` in
 * the order in which they came first. `undefined` wherever jq could see anything else: what is no JSON, a record that has
 * no such path, a number that could be written in another way, a list or an object as a value, and too many values.
 *
 * @param checkTime - Called now and then; what it throws ends the count.
 */
export function tallyValues(
  source: ByteReader,
  plan: TallyPlan,
  checkTime: () => void,
): Buffer | undefined {
  const counts = new Map<Scalar, number>();
  let characters = 0;
  try {
    for (const block of readLineBlocks(source, BLOCK_BYTES, BLOCK_BYTES)) {
      checkTime();
      for (const line of block.toString("utf8").split("\n")) {
        if (line === "") continue;
        const value = valueOf(line, plan);
        if (value === LEFT_OUT) continue;
        const before = counts.get(value);
        counts.set(value, (before ?? 0) + 1);
        if (before !== undefined) continue;
        characters += typeof value === "string" ? value.length : 0;
        if (counts.size > MAX_VALUES || characters > MAX_CHARACTERS) return undefined;
      }
    }
  } catch (error) {
    const isOther = error instanceof Unknown || error instanceof SyntaxError;
    if (isOther || error instanceof LineTooLongError) return undefined;
    throw error;
  }
  return Buffer.from(JSON.stringify([...counts].map(([k, n]) => ({ k, n }))));
}

type Scalar = string | number | boolean | null;

const LEFT_OUT = Symbol("left out");

function valueOf(line: string, { path, objectsOnly }: TallyPlan): Scalar | typeof LEFT_OUT {
  if (line.length > MAX_LINE_CHARACTERS) throw new Unknown();
  let value: unknown = JSON.parse(line);
  if (objectsOnly && !isRecord(value)) return LEFT_OUT;
  for (const key of path) {
    if (value === null) break;
    if (!isRecord(value)) throw new Unknown();
    value = Object.hasOwn(value, key) ? value[key] : null;
  }
  switch (typeof value) {
    case "string":
      if (value.includes(REPLACED) || !value.isWellFormed()) throw new Unknown();
      return value;
    case "number":
      if (!isWrittenSo(line, value, path.at(-1))) throw new Unknown();
      return value;
    case "boolean":
      return value;
    default:
      if (value !== null) throw new Unknown();
      return null;
  }
}

function isWrittenSo(line: string, value: number, key: string | undefined): boolean {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return false;
  const written = String(value);
  if (key === undefined) return line.trim() === written;
  // The only key of this name in the line, however it may be written.
  const name = `"${key}"`;
  const at = line.indexOf(name);
  if (at === -1 || line[at - 1] === "\\" || line.includes("\\u")) return false;
  const colon = at + name.length;
  if (line.includes(name, at + 1) || line[colon] !== ":") return false;
  const start = colon + (line[colon + 1] === " " ? 2 : 1);
  if (!line.startsWith(written, start)) return false;
  return /[,}]/.test(line[start + written.length] ?? "");
}
