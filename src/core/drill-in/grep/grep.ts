import type { StoredArtifact } from "../../types/artifact.js";
import {
  counted,
  endAnswer,
  listAnswer,
  type PartialAnswer,
  sentenceAnswer,
} from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { ESCAPED_NOTE } from "../shared/answer/shown-text.js";
import { engineMessage, MAX_DIAGNOSIS_TOKENS } from "../shared/diagnosis.js";
import { searchBeside } from "./beside-records.js";
import { listedOf } from "./listed.js";
import { headOf, noteOf } from "./notes.js";
import { isListFromEnd, isStopped, onward, type Searched } from "./onward.js";
import { questionOf, requestOf, searchedPart } from "./question.js";
import { grouped } from "../../../util/amounts.js";

/**
 * Searches the lines of a stored output. The numbers of matching lines and of occurrences in them are always stated,
 * and line numbers are those that reading takes; the header line of records is not searched.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function searchLines(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
): Promise<PartialAnswer> {
  const { limits, measure } = context;
  const refuse = (sentence: string, most = Infinity): Promise<PartialAnswer> =>
    sentenceAnswer(measure, Math.min(most, limits.maxOutputTokens), sentence, true);
  const question = questionOf(args);
  if (question.pattern === "") return refuse("The pattern is empty. Pass what to search for.");
  const { part, hasHeader, problem } = await searchedPart(context, artifact, question, args);
  if (part === undefined) return refuse(problem);
  const request = { ...requestOf(context, question), encoding: artifact.encoding, ...part };
  const result = await context.spool.with(artifact, signal, (source) =>
    context.grep().run({ ...request, source }, signal),
  );
  // A line that cannot be searched has others behind it.
  if (result.error !== undefined && result.totalMatches === 0 && result.nextLine === undefined)
    return refuse(engineMessage(result.error), MAX_DIAGNOSIS_TOKENS);
  const isNowhere = result.totalMatches === 0 && !isStopped(result) && !question.invert;
  const isToLook = hasHeader && isNowhere;
  const beside = isToLook ? await searchBeside(context, artifact, request, signal) : undefined;
  const searched: Searched = {
    context,
    artifact,
    question,
    firstLine: part.firstLineNumber ?? 1,
    beside: isToLook ? (beside === undefined ? "none" : "found") : undefined,
    result: beside ?? result,
  };
  return { ...(await answerWith(searched)), foundCount: searched.result.totalMatches };
}

function answerWith(searched: Searched): Promise<PartialAnswer> {
  const { context, question, result } = searched;
  const { items, matches, isEscaped } = listedOf(question, result);
  const found = headOf(searched);
  const isFromEnd = isListFromEnd(searched);
  const answer = isFromEnd ? endAnswer : listAnswer;
  return answer(context.measure, context.limits.maxOutputTokens, {
    head: [found, eachHint(searched), isEscaped ? ESCAPED_NOTE : ""]
      .filter((sentence) => sentence !== "")
      .join(" "),
    items,
    note: (shown) => noteOf(searched, { shown: matches(shown), hasLines: shown > 0 }),
    partNote: (shown, all) =>
      [
        `The ${isFromEnd ? "last" : "first"} hit is cut after ${grouped(shown)} of ${counted(all, "character")}.`,
        ...onward(searched, shown === 0 ? 0 : matches(1)),
      ].join("\n"),
  });
}

/** How to see the hits of a line of which only one is shown. */
function eachHint({ context, question, result }: Searched): string {
  if (question.countOnly || !result.lines.some(({ occurrences = 0 }) => occurrences > 1)) return "";
  const each = context.calls.switchOn("grep", "only_matching");
  return each === undefined ? "" : `To see each, ${each}.`;
}
