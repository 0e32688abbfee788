import type { StoredArtifact } from "../../types/artifact.js";
import { counted } from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { linesOfSets } from "../sets/where-sets-are.js";
import type { LineIndex } from "./line-index.js";

type ReadUnit = "line" | "record" | "character";

/** The part that was asked for, with its first byte; the end is found while reading. */
export interface ReadRange {
  readonly unit: ReadUnit;
  /** Line or record, counted from 1; character, counted from 0. */
  readonly first: number;
  /** Last line or record, inclusive; last character, exclusive; `undefined` for the end of the body. */
  readonly last: number | undefined;
  /** Characters skipped in the first line or record. */
  readonly skippedCharacters: number;
  readonly startByte: number;
  /** Lines or records there are; `undefined` for characters. */
  readonly total: number | undefined;
}

/** Either the range or the sentence that says why there is none. */
export type RangeResult =
  | { readonly range: ReadRange; readonly problem?: undefined }
  | { readonly range: undefined; readonly problem: string };

const ARGUMENTS: Readonly<Record<ReadUnit, readonly [string, string]>> = {
  line: ["start_line", "end_line"],
  record: ["start_record", "end_record"],
  character: ["start", "end"],
};

/** At the beginning of a sentence. */
export const UNIT_NAMES: Readonly<Record<ReadUnit, string>> = {
  line: "Line",
  record: "Record",
  character: "Character",
};

function problem(text: string): RangeResult {
  return { range: undefined, problem: text };
}

/** Lines before the first record. */
function linesBeforeRecords(artifact: StoredArtifact): number {
  return artifact.layout === "rows" || artifact.headerBytes > 0 ? 1 : 0;
}

function recordProblem(
  { names, calls }: Pick<DrillInContext, "names" | "calls">,
  artifact: StoredArtifact,
): string | undefined {
  const { fileName, layout, recordCount } = artifact;
  if (artifact.sets !== undefined) {
    const lines = linesOfSets(artifact);
    const where = lines === "" ? "" : `: ${lines}`;
    return `${fileName} has several sets, so its records have no numbers of their own. Read it by lines${where}.`;
  }
  if (layout !== "records" && layout !== "rows")
    return `${fileName} has no records. Read it by lines.`;
  const lines = artifact.lineCount - linesBeforeRecords(artifact);
  if (layout === "rows" && recordCount !== undefined && recordCount !== lines) {
    const call = names.jq && calls.call("jq", artifact, { filter: "nth(9; inputs)" });
    const byJq = call === undefined ? "" : `, or take record 10 by ${call}`;
    return `Some rows of ${fileName} take more than one line, or blank lines follow the last, so they cannot be read by number. Read it by lines${byJq}.`;
  }
  return undefined;
}

/** A position from the end made one from the start; `total` is the number of things there are. */
function fromStart(
  given: number | undefined,
  total: number,
  firstNumber: number,
): number | undefined {
  if (given === undefined || given >= 0) return given;
  return total + given + firstNumber;
}

async function totalOf(
  unit: ReadUnit,
  artifact: StoredArtifact,
  index: LineIndex,
): Promise<number> {
  const totals = await index.totals();
  if (unit === "character") return totals.characters;
  return unit === "line" ? totals.lines : totals.lines - linesBeforeRecords(artifact);
}

/** Finds the part that the arguments ask for. Positive positions are found without reading to the end. */
export async function resolveRange(
  context: Pick<DrillInContext, "names" | "calls" | "indexOf">,
  artifact: StoredArtifact,
  args: CheckedArguments,
): Promise<RangeResult> {
  const index = context.indexOf(artifact);
  const units = (["line", "record", "character"] as const).filter((unit) =>
    ARGUMENTS[unit].some((name) => args.number(name) !== undefined),
  );
  if (units.length > 1)
    return problem("Pass lines, records or characters, not several of them in one call.");
  const unit = units[0] ?? "line";
  const wrong = unit === "record" ? recordProblem(context, artifact) : undefined;
  if (wrong !== undefined) return problem(wrong);
  const [startName, endName] = ARGUMENTS[unit];
  const firstNumber = unit === "character" ? 0 : 1;
  const given = { first: args.number(startName), last: args.number(endName) };
  const fromEnd = (given.first ?? 0) < 0 || (given.last ?? 0) < 0;
  const total = fromEnd ? await totalOf(unit, artifact, index) : knownTotal(unit, artifact);
  const first = Math.max(
    firstNumber,
    fromStart(given.first, total ?? 0, firstNumber) ?? firstNumber,
  );
  const last = fromStart(given.last, total ?? 0, firstNumber);
  if (last !== undefined && last < first) {
    const asked = [args.number(startName) ?? firstNumber, args.number(endName)].join(" to ");
    return problem(`${UNIT_NAMES[unit]}s ${asked} are none: the end is before the start.`);
  }
  const skipped = unit === "character" ? 0 : (args.count("start_character") ?? 0);
  const start = await startOf(unit, first, artifact, index);
  if (start === undefined) {
    const all = await totalOf(unit, artifact, index);
    return problem(
      `${UNIT_NAMES[unit]} ${first} is past the end: ${artifact.fileName} has ${counted(all, unit)}.`,
    );
  }
  const range = { unit, first, last, skippedCharacters: skipped, startByte: start, total };
  return skipped === 0 ? { range } : skipInLine(range, artifact, index);
}

function knownTotal(unit: ReadUnit, artifact: StoredArtifact): number | undefined {
  if (unit === "character") return undefined;
  return unit === "line" ? artifact.lineCount : artifact.lineCount - linesBeforeRecords(artifact);
}

async function startOf(
  unit: ReadUnit,
  first: number,
  artifact: StoredArtifact,
  index: LineIndex,
): Promise<number | undefined> {
  if (unit === "line") return index.lineStart(first);
  if (unit === "record") return index.lineStart(first + linesBeforeRecords(artifact));
  const start = await index.characterStart(first);
  return start === artifact.sizeBytes ? undefined : start;
}

async function skipInLine(
  range: ReadRange,
  artifact: StoredArtifact,
  index: LineIndex,
): Promise<RangeResult> {
  const before = await index.charactersBefore(range.startByte);
  const startByte = await index.characterStart(before + range.skippedCharacters);
  const line = range.unit === "line" ? range.first : range.first + linesBeforeRecords(artifact);
  const lineEnd = (await index.lineStart(line + 1)) ?? artifact.sizeBytes;
  if (startByte !== undefined && startByte < lineEnd) return { range: { ...range, startByte } };
  const length = (await index.charactersBefore(lineEnd)) - before;
  return problem(
    `Character ${range.skippedCharacters} is past the end: the ${range.unit} has ${counted(length, "character")}.`,
  );
}
