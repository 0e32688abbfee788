import { OffloadError } from "../../core/types/errors.js";
import type { Ask, DrillInContext } from "../../core/drill-in/context.js";
import {
  answerLimit,
  bytesForTokens,
  type PartialAnswer,
  sentenceAnswer,
} from "../../core/drill-in/answer.js";
import { knownNames, namesSentence } from "../../core/drill-in/diagnosis.js";
import { codeAnswer } from "./code-answer.js";
import { type HostParts, openHost } from "./code-host.js";
import type { CodeEngine } from "./request.js";

const EMPTY = 'The code is empty. Write JavaScript, such as return outputs.read("<id>").length';
const FENCE = "```";
const FAULT = "The code could not be run because of an internal fault. Try once more.";

/**
 * Runs a model's own JavaScript over the outputs that it names, and shows what it returned and printed; what of that
 * is too long is stored as an output of its own.
 *
 * @throws The signal's reason when it aborts.
 */
export async function askCode(
  ask: Ask,
  context: DrillInContext,
  { engine, ...parts }: HostParts & { readonly engine: CodeEngine },
): Promise<PartialAnswer> {
  const { signal } = ask.call;
  const { measure, limits } = context;
  const limitTokens = answerLimit(undefined, limits, ask.call);
  const refuse = (sentence: string): Promise<PartialAnswer> =>
    sentenceAnswer(measure, limitTokens, sentence, true);
  const code = withoutFence(ask.args.text("code") ?? "");
  if (code.trim() === "") return await refuse(EMPTY);
  const opened = openHost(ask, context, parts);
  try {
    const maxOutputBytes = Math.min(limits.maxOutputBytes, bytesForTokens(limitTokens));
    const result = await engine.run({ code, host: opened.host, maxOutputBytes }, signal);
    const answer = await codeAnswer(context, limitTokens, result, opened, async () =>
      namesSentence(code, await knownNames(context, [...ask.deeds.read.values()], signal)),
    );
    signal?.throwIfAborted();
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    if (OffloadError.isInstance(error)) throw error;
    return await refuse(FAULT);
  } finally {
    opened.end();
  }
}

/** Without the fence of Markdown around it; each line keeps its number. */
function withoutFence(code: string): string {
  const text = code.trim();
  const firstEnd = text.indexOf("\n");
  const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE) && firstEnd > 0;
  return isFenced ? text.slice(firstEnd, -FENCE.length) : code;
}
