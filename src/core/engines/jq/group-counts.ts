/// <reference lib="es2024.string" />
import { isRecord } from "../../../util/is-record.js";
import { type ByteReader, LineTooLongError, readLineBlocks } from "../readers/byte-reader.js";
import { lexFilter, scanFilter } from "./filter.js";
import type { JqJob } from "./job.js";

interface GroupCountPlan {
  readonly path: readonly string[];
  readonly program: string;
}

const PATH = String.raw`(?: \.[A-Za-z_]\w*)+`;
const FIRST = String.raw` \. \[ 0 \]\k<key>(?= [,}\]])`;
const LENGTH = String.raw` length(?= [,}\]])`;
const MEMBER = String.raw` (?:[A-Za-z_]\w*|"[^"\\]*") :(?:${FIRST}|${LENGTH})`;
const BODY = String.raw` \{${MEMBER}(?: ,${MEMBER})* \}`;
/** `[inputs] |` or nothing, then `map(.a) |` and the use of the values. Each token follows a space. */
const BEGINNING = new RegExp(
  String.raw`^(?<array> \[ inputs \] \|)?(?: map \((?<mapped>${PATH}) \) \|)?` +
    String.raw`(?:(?<group> group_by) \((?:(?<key>${PATH})| \.) \) \|(?: length| map \((?<body>${BODY}) \))| unique)(?= \||$)`,
);
const PARTS = new RegExp(String.raw`("[^"]*")|( \. \[ 0 \]${PATH.slice(0, -1)}*)|(${LENGTH})`, "g");

/**
 * Finds filters that counting can answer: records grouped by a field with only its value and the group length used,
 * and distinct values of a field. The rest of the filter runs in jq.
 */
export function groupCountPlan({
  filter,
  slurp,
}: Pick<JqJob, "filter" | "slurp">): GroupCountPlan | undefined {
  const tokens = lexFilter(filter);
  const match = BEGINNING.exec(tokens.map(({ text }) => ` ${text}`).join(""));
  if (match === null) return undefined;
  const { array, mapped, group, key, body } = match.groups ?? {};
  // Values taken from a field have no fields.
  const path = mapped ?? key;
  if (path === undefined || (mapped !== undefined && key !== undefined)) return undefined;
  if (slurp === (array !== undefined)) return undefined;
  let length = 0;
  const last = tokens.find(({ text }) => (length += text.length + 1) === match[0].length);
  const rest = filter.slice(last?.end);
  // The rest must not see line numbers or other inputs.
  if (scanFilter(rest).seesOthers || rest.includes("$__")) return undefined;
  return {
    path: path.match(/\w+/g) ?? [],
    program: `${group === undefined ? "map(.k) | unique" : usePlan(body)}${rest}`,
  };
}

function usePlan(body: string | undefined): string {
  if (body === undefined) return "group_by(.k) | length";
  const ofCounts = body.replaceAll(PARTS, (part, text?: string, first?: string) =>
    text === undefined ? (first === undefined ? " (map(.n) | add)" : " .[0].k") : part,
  );
  return `group_by(.k) | map(${ofCounts})`;
}

const MAX_LINE_CHARACTERS = 16_384;
const MAX_LINE_BYTES = 256 * 1024;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 1_048_576;
const REPLACED = "\ufffd";

class Unknown extends Error {}

/**
 * `[{"k": value, "n": count}, …]` in order of first appearance. `undefined` wherever jq might differ: invalid JSON,
 * no such path, a number with several spellings, lists, objects, too many values.
 *
 * @param checkTime - Its error ends the count.
 */
export function countGroups(
  source: ByteReader,
  plan: GroupCountPlan,
  checkTime: () => void,
): Buffer | undefined {
  const counts = new Map<Scalar, number>();
  let characters = 0;
  try {
    for (const block of readLineBlocks(source, MAX_LINE_BYTES)) {
      checkTime();
      for (const line of block.toString("utf8").split("\n")) {
        if (line === "") continue;
        const value = valueOf(line, plan);
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

function valueOf(line: string, { path }: GroupCountPlan): Scalar {
  if (line.length > MAX_LINE_CHARACTERS) throw new Unknown();
  let value: unknown = JSON.parse(line);
  for (const key of path) {
    if (value === null) break;
    if (!isRecord(value)) throw new Unknown();
    value = Object.hasOwn(value, key) ? value[key] : null;
  }
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && isWrittenSo(line, value, path.at(-1))) return value;
  if (typeof value === "string" && !value.includes(REPLACED) && value.isWellFormed()) return value;
  throw new Unknown();
}

function isWrittenSo(line: string, value: number, key: string | undefined): boolean {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return false;
  const written = String(value);
  if (key === undefined) return line.trim() === written;
  // The key must occur once in the line, without escapes.
  const name = `"${key}"`;
  const at = line.indexOf(name);
  if (at === -1 || line[at - 1] === "\\" || line.includes("\\u")) return false;
  const colon = at + name.length;
  if (line.includes(name, at + 1) || line[colon] !== ":") return false;
  const start = colon + (line[colon + 1] === " " ? 2 : 1);
  if (!line.startsWith(written, start)) return false;
  return /[,}]/.test(line[start + written.length] ?? "");
}
