import { Readable } from "node:stream";

import {
  answerLimit,
  bytesForTokens,
  joined,
  MAX_FAULT_TOKENS,
  type PartialAnswer,
  withinLimit,
} from "../../core/drill-in/answer.js";
import type { Ask, DrillInContext } from "../../core/drill-in/context.js";
import { fieldsSentence, saysNothing, stoppedAfter } from "../../core/drill-in/diagnosis.js";
import { ESCAPED_NOTE, escapeJson, escapeText } from "../../core/drill-in/shown-text.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import type { PluginApi } from "../../core/types/plugin.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { withDeadline } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import { messageOf } from "../../util/error-message.js";
import { safeJson, shorten } from "../../util/safe-text.js";
import { type OpenHost, openHost } from "./code-host.js";
import type { CodeEngine, CodeMade, CodeResult } from "./request.js";

const NOTHING = "Nothing returned or printed: end with return <value>, or print(...).";
const ROUNDED =
  "Integers beyond 2^53 are rounded. outputs.lines(id) has those of stored records as they are; for those of a tool, call it outside of code.";
const PART = "An output that the code read is one part only: one page of more, or cut off.";
const LATE = "The store did not answer in time.";
const CALLED = { returned: "the returned value", printed: "what was printed" };
const MAX_NAME_CHARACTERS = 60;

interface Part extends Omit<CodeMade, "text"> {
  readonly from: "returned" | "printed";
  text: string;
  output: OffloadedOutput | undefined;
  unstored?: string;
}

/**
 * The longest of the returned and printed text is stored, and described in its place, until the rest is within the
 * limit.
 * @throws The signal's reason when it aborts.
 */
export async function askCode(
  ask: Ask,
  context: DrillInContext,
  engine: CodeEngine,
  api: PluginApi,
): Promise<PartialAnswer> {
  const { signal } = ask.call;
  const { measure, limits } = context;
  const limitTokens = answerLimit(undefined, limits, ask.call);
  const maxOutputBytes = Math.min(limits.maxOutputBytes, bytesForTokens(limitTokens));
  const code = ask.args.text("code") ?? "";
  const host = openHost(ask, context, api);
  try {
    const result = await engine.run({ code, host, maxOutputBytes }, signal);
    const fault = faultOf(limits, result);
    const parts = partsOf(result, host);
    const { returned } = result;
    const isNothing = returned?.keptAs === undefined && saysNothing(returned?.text ?? "?");
    const read = [...ask.accessLog.read.values()];
    const names =
      (result.error !== undefined || isNothing) &&
      (await fieldsSentence(context, code, read, signal));
    const notes = [
      escapeText(names || "").text,
      workNote(result, host),
      read.some(({ partial }) => partial) ? PART : "",
      // In UTF-16 units.
      shorten([...(host.tools?.beside ?? [])].join("\n"), 3000),
    ];
    // A fault without output gets a short answer.
    const isFault = result.error !== undefined && parts.length === 0;
    const mostTokens = isFault ? Math.min(limitTokens, MAX_FAULT_TOKENS) : limitTokens;
    for (;;) {
      const text = laidOut(fault, parts, notes);
      const { tokens } = await measure.count(text);
      signal?.throwIfAborted();
      const [longest] = parts
        .filter((part) => part.unstored === undefined && part.text !== "")
        .toSorted((one, other) => other.text.length - one.text.length);
      if (tokens <= limitTokens || longest === undefined)
        return await withinLimit(measure, mostTokens, {
          text,
          tokens,
          failed: fault !== undefined,
        });
      await shortenPart(longest, host, limits);
    }
  } finally {
    host.end();
  }
}

function partsOf(result: CodeResult, host: OpenHost): readonly Part[] {
  return (["returned", "printed"] as const).flatMap((from) => {
    const made = result[from];
    if (made === undefined) return [];
    const output = made.keptAs === undefined ? undefined : host.made(made.keptAs);
    return { ...made, from, output, text: made.text ?? output?.text ?? "" };
  });
}

async function shortenPart(part: Part, host: OpenHost, limits: DrillInLimits): Promise<void> {
  const { from, text } = part;
  part.text = "";
  if (part.output !== undefined) return;
  try {
    const pieces = Readable.from([Buffer.from(text)]);
    const kept = await withDeadline({ timeoutMs: limits.timeoutMs, late: LATE }, () =>
      host.keep({ from, pieces }),
    );
    part.output = host.made(kept);
    part.text = part.output?.text ?? "";
  } catch (error) {
    part.text = text;
    part.unstored = messageOf(error);
  }
}

function laidOut(
  fault: string | undefined,
  parts: readonly Part[],
  notes: readonly string[],
): string {
  const plain = parts.filter(({ form, output }) => form === "text" && output === undefined);
  const isAlone = fault === undefined && parts.length === 1;
  return joined([
    fault && escapeText(fault).text,
    fault === undefined && parts.length === 0 && NOTHING,
    ...parts.flatMap((part) => shownLines(part, isAlone)),
    plain.some(({ text }) => escapeText(text).isEscaped) && ESCAPED_NOTE,
    ...notes,
  ]);
}

function shownLines(
  { from, form, output, text, unstored }: Part,
  isAlone: boolean,
): readonly string[] {
  if (output !== undefined) {
    const { id, tokens } = output.storedArtifact;
    const stored = `Too long for this answer and stored as ${id}: ${CALLED[from]}, ${grouped(tokens)} tokens.`;
    return [stored, text];
  }
  const shown = form === "json" ? escapeJson(text) : escapeText(text).text.replace(/\n$/, "");
  return [
    unstored === undefined ? "" : `Cut here, because it could not be stored: ${unstored}`,
    from === "printed" && !isAlone ? "Printed:" : "",
    shown === "" ? '""' : shown,
  ];
}

function faultOf(
  limits: DrillInLimits,
  { error, outOfMemory, timedOut }: CodeResult,
): string | undefined {
  if (outOfMemory)
    return 'The code ran out of memory. Name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums.';
  if (timedOut) return `The code was stopped after ${stoppedAfter(limits)}. Do less in one run.`;
  return error;
}

function workNote({ hasLongIntegers }: CodeResult, host: OpenHost): string {
  const saved = host.saved.map(
    ({ id, name }) => `${safeJson(shorten(name, MAX_NAME_CHARACTERS))} as ${id}`,
  );
  return joined(
    [saved.length > 0 && `Saved ${saved.join(", ")}.`, hasLongIntegers && ROUNDED],
    " ",
  );
}
