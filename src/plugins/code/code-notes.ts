import { engineMessage, stoppedAfter } from "../../core/drill-in/diagnosis.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import { counted, grouped } from "../../util/amounts.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import type { OpenHost } from "./code-host.js";
import type { CodeResult } from "./request.js";

/** Outputs that a line names. */
const MAX_NAMED = 8;
const MAX_NAME_CHARACTERS = 60;

/** Why a run came to no good end; `undefined` when it did. */
export function faultOf(
  limits: DrillInLimits,
  { fault, outOfMemory, timedOut }: CodeResult,
): string | undefined {
  if (outOfMemory)
    return 'The code ran out of memory. Name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums.';
  if (timedOut) return `The code was stopped after ${stoppedAfter(limits)}. Do less in one run.`;
  if (fault?.line === undefined) return fault && engineMessage(fault.message);
  return `${engineMessage(fault.message)}\nLine ${fault.line}: ${fault.source ?? ""}`;
}

/** The last line: what was read, what was saved, and how long it took. */
export function workNote(
  { read, saved, toolCallCount, roundedResult, durationMs }: CodeResult,
  made: OpenHost["made"],
): string {
  const reads = read.map(({ id, unit, count, isWhole }) => {
    const what = counted(count, unit.slice(0, -1));
    return `${what} of ${id}${isWhole ? "" : " (not to its end)"}`;
  });
  const saves = saved.map(({ id, name }) => {
    const { recordCount, lineCount = 0 } = made(id)?.storedArtifact ?? {};
    const size =
      recordCount === undefined ? counted(lineCount, "line") : counted(recordCount, "record");
    return `${safeJson(shorten(name, MAX_NAME_CHARACTERS))} as ${id} (${size})`;
  });
  const rounded = [
    ...read.flatMap((one) => (one.rounded === undefined ? [] : [`${one.rounded} of ${one.id}`])),
    ...(roundedResult === undefined ? [] : [`${roundedResult} of a tool`]),
  ];
  const sentences = [
    ...listed("Read", reads),
    ...listed("Saved", saves),
    ...(toolCallCount === 0 ? [] : [`${counted(toolCallCount, "tool call")}.`]),
    ...listed("Rounded integers beyond 2^53, which outputs.lines(id) has as they are:", rounded),
    // As many tokens on a quick machine as on a slow one.
    `${Math.max(0.1, durationMs / 1000).toFixed(1)} s.`,
  ];
  return sentences.join(" ");
}

function listed(what: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length - MAX_NAMED;
  const end = more > 0 ? ` and ${grouped(more)} more` : "";
  return [`${what} ${items.slice(0, MAX_NAMED).join(", ")}${end}.`];
}
