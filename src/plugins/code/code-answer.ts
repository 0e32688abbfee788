import type { OffloadedOutput } from "../../core/types/result.js";
import { withDeadline } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import { encodeText } from "../../util/text-encoding.js";
import { type PartialAnswer, withinLimit } from "../../core/drill-in/shared/answer/answer.js";
import type { DrillInContext } from "../../core/drill-in/shared/context.js";
import { MAX_DIAGNOSIS_TOKENS, saysNothing } from "../../core/drill-in/shared/diagnosis.js";
import {
  ESCAPED_NOTE,
  escapeJson,
  escapeText,
} from "../../core/drill-in/shared/answer/shown-text.js";
import type { OpenHost } from "./code-host.js";
import { faultOf, workNote } from "./code-notes.js";
import type { CodeMade, CodeResult } from "./request.js";

/** What a run returned or printed, as it is shown. */
interface Part {
  readonly from: "returned" | "printed";
  readonly form: "json" | "text";
  /** What was stored of it; else `text` is all of it. */
  readonly output?: OffloadedOutput | undefined;
  readonly text: string;
  /** Why no more can be done to make it shorter. */
  readonly whyLong?: string | undefined;
}

const NOTHING = "Nothing returned or printed: end with return <value>, or print(...).";
const LATE = "The store did not answer in time.";
const CALLED = { returned: "The returned value", printed: "What was printed" };

/**
 * What a run came to: its fault, the value, the printed lines, and one line of what was read and saved. The longest of
 * these is stored, and described in its place, until the rest is within the limit.
 *
 * @param meant - The names that are there, asked for where the code failed or returned nothing.
 */
export async function codeAnswer(
  context: DrillInContext,
  limitTokens: number,
  result: CodeResult,
  { host, made }: Pick<OpenHost, "host" | "made">,
  meant: () => Promise<string | undefined>,
): Promise<PartialAnswer> {
  const { measure, limits } = context;
  const fault = faultOf(context, result);
  const { returned } = result;
  const isNothing = returned?.keptAs === undefined && saysNothing(returned?.text ?? "?");
  const names = result.fault !== undefined || isNothing ? await meant() : undefined;
  const named = names === undefined ? [] : [escapeText(names).text];
  const note = [...named, workNote(result, made)].join("\n");
  const failed = fault !== undefined;
  let parts = [
    ...(result.returned === undefined
      ? []
      : [partOf("returned", result.returned.form, result.returned, made)]),
    ...(result.printed === undefined ? [] : [partOf("printed", "text", result.printed, made)]),
  ];
  // What is wrong with the code is said in few words, where there is nothing else to say.
  const isFault = result.fault !== undefined && parts.length === 0;
  const mostTokens = isFault ? Math.min(limitTokens, MAX_DIAGNOSIS_TOKENS) : limitTokens;
  for (;;) {
    const text = laidOut(fault, parts, note);
    const { tokens } = await measure.count(text);
    const longest = tokens > limitTokens ? longestOf(parts) : undefined;
    if (longest === undefined) {
      return await withinLimit(measure, mostTokens, { text, tokens, failed });
    }
    const shorter = await shortened(longest);
    parts = parts.map((part) => (part === longest ? shorter : part));
  }

  async function shortened(part: Part): Promise<Part> {
    const { from, form, output } = part;
    if (output !== undefined) return { ...part, text: "", whyLong: "" };
    try {
      const pieces = onePiece(encodeText(part.text).bytes);
      const id = await withDeadline({ timeoutMs: limits.timeoutMs, late: LATE }, () =>
        host.keep({ from, form, pieces }),
      );
      return { ...part, output: made(id), text: made(id)?.text ?? "" };
    } catch (error) {
      return { ...part, whyLong: error instanceof Error ? error.message : String(error) };
    }
  }
}

function partOf(
  from: Part["from"],
  form: Part["form"],
  value: CodeMade,
  made: OpenHost["made"],
): Part {
  if (value.keptAs === undefined) return { from, form, text: value.text };
  const output = made(value.keptAs);
  return { from, form, output, text: output?.text ?? "" };
}

/** What is worth making shorter. */
function longestOf(parts: readonly Part[]): Part | undefined {
  return parts
    .filter(({ whyLong, text }) => whyLong === undefined && text !== "")
    .toSorted((one, other) => other.text.length - one.text.length)[0];
}

function laidOut(fault: string | undefined, parts: readonly Part[], note: string): string {
  const escaped = parts.filter(isEscaped);
  const lines = [
    ...(fault === undefined ? [] : [escapeText(fault).text]),
    ...(fault === undefined && parts.length === 0 ? [NOTHING] : []),
    ...parts.flatMap((part) => shownLines(part, fault !== undefined || parts.length > 1)),
    ...(escaped.length > 0 ? [ESCAPED_NOTE] : []),
    note,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function isEscaped({ form, output, text }: Part): boolean {
  return form === "text" && output === undefined && escapeText(text).isEscaped;
}

function shownLines(part: Part, isBeside: boolean): readonly string[] {
  const { from, form, output, text, whyLong = "" } = part;
  if (output !== undefined) {
    const { id, tokens } = output.storedArtifact;
    const what = `${CALLED[from]}, ${grouped(tokens)} tokens, is too long for this answer and is stored`;
    return text === "" ? [`${what} as ${id}.`] : [`${what}:`, text];
  }
  const shown = form === "json" ? escapeJson(text) : escapeText(text).text.replace(/\n$/, "");
  const label = from === "printed" && isBeside ? ["Printed:"] : [];
  const lost =
    whyLong === "" ? [] : [`${CALLED[from]} is cut here and could not be stored: ${whyLong}`];
  return [...lost, ...label, shown === "" ? '""' : shown];
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
