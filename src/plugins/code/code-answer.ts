import { type PartialAnswer, withinLimit } from "../../core/drill-in/answer.js";
import { ESCAPED_NOTE, escapeJson, escapeText } from "../../core/drill-in/shown-text.js";
import type { DrillInContext } from "../../core/drill-in/context.js";
import { MAX_DIAGNOSIS_TOKENS, saysNothing } from "../../core/drill-in/diagnosis.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import { withDeadline } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import type { OpenHost } from "./code-host.js";
import { faultOf, workNote } from "./code-notes.js";
import type { CodeMade, CodeResult } from "./request.js";

/** What a run returned or printed, as it is shown. */
interface Part {
  readonly from: "returned" | "printed";
  readonly form: "json" | "text";
  text: string;
  /** What was stored of it, which `text` describes; else `text` is all of it. */
  output?: OffloadedOutput | undefined;
  /** Why it could not be stored. */
  unstored?: string;
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
  { measure, limits }: DrillInContext,
  limitTokens: number,
  result: CodeResult,
  { host, made }: Pick<OpenHost, "host" | "made">,
  meant: () => Promise<string | undefined>,
): Promise<PartialAnswer> {
  const { returned, printed } = result;
  const fault = faultOf(limits, result);
  const parts = [
    ...(returned === undefined ? [] : [partOf("returned", returned.form, returned)]),
    ...(printed === undefined ? [] : [partOf("printed", "text", printed)]),
  ];
  const isNothing = returned?.keptAs === undefined && saysNothing(returned?.text ?? "?");
  const names = result.fault !== undefined || isNothing ? await meant() : undefined;
  const notes = [names === undefined ? "" : escapeText(names).text, workNote(result, made)];
  // What is wrong with the code is said in few words, where there is nothing else to say.
  const isFault = result.fault !== undefined && parts.length === 0;
  const mostTokens = isFault ? Math.min(limitTokens, MAX_DIAGNOSIS_TOKENS) : limitTokens;
  for (;;) {
    const text = laidOut(fault, parts, notes);
    const { tokens } = await measure.count(text);
    const longest = tokens > limitTokens ? longestOf(parts) : undefined;
    if (longest === undefined)
      return await withinLimit(measure, mostTokens, { text, tokens, failed: fault !== undefined });
    await shorten(longest);
  }

  function partOf(from: Part["from"], form: Part["form"], value: CodeMade): Part {
    if (value.keptAs === undefined) return { from, form, text: value.text };
    const output = made(value.keptAs);
    return { from, form, output, text: output?.text ?? "" };
  }

  /** Stores a part, or leaves what describes it away. */
  async function shorten(part: Part): Promise<void> {
    const { from, form, text } = part;
    if (part.output !== undefined) {
      part.text = "";
      return;
    }
    try {
      const kept = await withDeadline({ timeoutMs: limits.timeoutMs, late: LATE }, () =>
        host.keep({ from, form, pieces: onePiece(Buffer.from(text)) }),
      );
      part.output = made(kept);
      part.text = part.output?.text ?? "";
    } catch (error) {
      part.unstored = error instanceof Error ? error.message : String(error);
    }
  }
}

/** What is worth making shorter. */
function longestOf(parts: readonly Part[]): Part | undefined {
  return parts
    .filter(({ unstored, text }) => unstored === undefined && text !== "")
    .toSorted((one, other) => other.text.length - one.text.length)[0];
}

function laidOut(
  fault: string | undefined,
  parts: readonly Part[],
  notes: readonly string[],
): string {
  const isEscaped = parts.some(
    ({ form, output, text }) =>
      form === "text" && output === undefined && escapeText(text).isEscaped,
  );
  const isAlone = fault === undefined && parts.length === 1;
  const lines = [
    fault === undefined ? "" : escapeText(fault).text,
    fault === undefined && parts.length === 0 ? NOTHING : "",
    ...parts.flatMap((part) => shownLines(part, isAlone)),
    isEscaped ? ESCAPED_NOTE : "",
    ...notes,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

function shownLines(
  { from, form, output, text, unstored }: Part,
  isAlone: boolean,
): readonly string[] {
  if (output !== undefined) {
    const { id, tokens } = output.storedArtifact;
    const what = `${CALLED[from]}, ${grouped(tokens)} tokens, is too long for this answer and is stored`;
    return text === "" ? [`${what} as ${id}.`] : [`${what}:`, text];
  }
  const shown = form === "json" ? escapeJson(text) : escapeText(text).text.replace(/\n$/, "");
  return [
    unstored === undefined
      ? ""
      : `${CALLED[from]} is cut here and could not be stored: ${unstored}`,
    from === "printed" && !isAlone ? "Printed:" : "",
    shown === "" ? '""' : shown,
  ];
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
