import type { OffloadedOutput } from "../../core/types/result.js";
import { grouped } from "../../util/amounts.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import { stoppedAfter } from "../../core/drill-in/sentences/stopped-sentence.js";
import { counted } from "../../core/drill-in/shared/answer/answer.js";
import { engineMessage } from "../../core/drill-in/shared/diagnosis.js";
import type { DrillInContext } from "../../core/drill-in/shared/context.js";
import type { CodeResult } from "./request.js";

/** Outputs that a line names. */
const MAX_NAMED = 8;
const MAX_NAME_CHARACTERS = 60;

/** Why a run came to no good end, in lines with the next step; `undefined` when it did. */
export function faultOf(
  { names, limits }: Pick<DrillInContext, "names" | "limits">,
  { fault, outOfMemory, timedOut, read }: CodeResult,
): string | undefined {
  if (outOfMemory) {
    return 'The code ran out of memory. Name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums instead of records.';
  }
  if (timedOut) {
    const sql = names.sql === undefined ? "" : `, or sum and join by ${names.sql}`;
    const next =
      read.length === 0
        ? "It had read nothing: look for a loop that never ends, or a regular expression that backtracks. Where there is none, try once more."
        : `Name the fields that you need, outputs.open(id, ["a"]), read less${sql}.`;
    return `The code was stopped after ${stoppedAfter(limits)}. ${next}`;
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

/** `0.7 s`, `3.2 s`: as many tokens on a quick machine as on a slow one. */
function duration(ms: number): string {
  return `${Math.max(0.1, ms / 1000).toFixed(1)} s`;
}
