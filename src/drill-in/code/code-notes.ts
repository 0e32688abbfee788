import type { OffloadedOutput } from "../../types/result.js";
import { grouped } from "../../util/amounts.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import type { StoppedTime } from "../engine/run-clock.js";
import { counted } from "../shared/answer/answer.js";
import { engineMessage } from "../shared/diagnosis.js";
import type { DrillInContext } from "../shared/context.js";
import type { CodeResult } from "./request.js";

/** Outputs that a line names. */
const MAX_NAMED = 8;
const MAX_NAME_CHARACTERS = 60;

/** Why a run came to no good end, in lines with the next step; `undefined` when it did. */
export function faultOf(
  { names }: Pick<DrillInContext, "names">,
  { fault, outOfMemory, time, durationMs, read }: CodeResult,
): string | undefined {
  if (outOfMemory) {
    return 'The code ran out of memory. Name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums instead of records.';
  }
  if (time !== undefined) {
    const sql = names.sql === undefined ? "" : `, or sum and join by ${names.sql}`;
    const isWaiting = time.limit === "wall" && time.processorMs !== undefined;
    const next = isWaiting
      ? "Try once more, with less to wait for: fewer outputs and calls of tools."
      : read.length === 0
        ? "It had read nothing: look for a loop that never ends, or a regular expression that backtracks."
        : `Name the fields that you need, outputs.open(id, ["a"]), read less${sql}.`;
    return `The code was stopped after ${stoppedAfter(time, durationMs)}. ${next}`;
  }
  if (fault === undefined) return undefined;
  const { message, line, source } = fault;
  const place =
    line === undefined ? [] : [`Line ${line}${source === undefined ? "" : `: ${source}`}`];
  return [engineMessage(message), ...place].join("\n");
}

/** The last line: what was read, how long it took, what was saved. */
export function workNote(
  { read, saved, toolCallCount, roundedResult, durationMs }: CodeResult,
  made: (id: string) => Pick<OffloadedOutput, "storedArtifact"> | undefined,
): string {
  const reads = read.map(({ id, unit, count, isWhole }) => {
    const what = counted(count, unit.slice(0, -1));
    return `${what} of ${id}${isWhole ? "" : " (not to its end)"}`;
  });
  const rounded = read.find((one) => one.rounded !== undefined);
  const saves = saved.map(({ id, name }) => {
    const shown = safeJson(shorten(name, MAX_NAME_CHARACTERS));
    const { recordCount, lineCount } = made(id)?.storedArtifact ?? {};
    if (lineCount === undefined) return `${shown} as ${id}`;
    const size =
      recordCount === undefined ? counted(lineCount, "line") : counted(recordCount, "record");
    return `${shown} as ${id} (${size})`;
  });
  return [
    reads.length === 0 ? "" : `Read ${listed(reads)}.`,
    rounded === undefined
      ? ""
      : `Integers beyond 2^53 were rounded, such as ${rounded.rounded} of ${rounded.id}; outputs.lines(id) has them as they are written.`,
    saves.length === 0 ? "" : `Saved ${listed(saves)}.`,
    toolCallCount === 0 ? "" : `${counted(toolCallCount, "tool call")}.`,
    roundedResult === undefined
      ? ""
      : `Integers beyond 2^53 in results of tools were rounded, such as ${roundedResult}.`,
    `${duration(durationMs)}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function listed(items: readonly string[]): string {
  const more = items.length - MAX_NAMED;
  return items.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${grouped(more)} more` : "");
}

/** The engine may have a limit of its own, so what is told is what the run has had. */
function stoppedAfter({ limit, processorMs }: StoppedTime, durationMs: number): string {
  if (processorMs === undefined) return duration(durationMs);
  const had = `${duration(processorMs)} of processor time`;
  return limit === "processor"
    ? had
    : `${duration(durationMs)}, of which it had ${had} and waited else, for stores, tools or a busy machine`;
}

/** `0.7 s`, `3.2 s`: as many tokens on a quick machine as on a slow one. */
function duration(ms: number): string {
  return `${Math.max(0.1, ms / 1000).toFixed(1)} s`;
}
