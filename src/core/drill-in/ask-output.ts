import { noTextSentence } from "./sentences/media-sentence.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Ask, AskParts } from "./ask.js";
import { tellRestored } from "./report.js";
import { type PartialAnswer, sentenceAnswer, withinLimit } from "./shared/answer/answer.js";
import { answerLimit, printerOfAnswer, readLimits } from "./shared/answer/answer-limit.js";
import type { CheckedArguments } from "./shared/arguments.js";
import type { DrillInContext } from "./shared/context.js";
import { findIn, findOutputs, type NamedOutput } from "./shared/named-outputs.js";

/** What a tool does with the output that its call names. */
export type RunOnOutput = (
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[],
) => Promise<PartialAnswer>;

/**
 * Asks an output that the arguments name.
 *
 * @param ofFiles - Whether the tool takes what is no text.
 * @throws whatever the store throws.
 */
export async function askOutput(
  tool: string,
  ask: Ask,
  context: DrillInContext,
  { onRead, onEvent }: AskParts,
  { run, ofFiles = false }: { readonly run: RunOnOutput; readonly ofFiles?: boolean },
): Promise<PartialAnswer> {
  const { args, call, deeds } = ask;
  const { measure, limits, calls } = context;
  const { reference } = args;
  const named = args.variables("with");
  const found = await findOutputs(
    {
      reference,
      named,
      idName: calls.nameOf(tool, calls.locator(tool)),
      withName: calls.has(tool, "with") ? calls.nameOf(tool, "with") : undefined,
    },
    findIn(context, named === undefined ? { ...call, scopeOf: undefined } : call),
  );
  const { storedArtifact } = found;
  if (storedArtifact !== undefined) deeds.read.set(storedArtifact.id, storedArtifact);
  if (found.problem !== undefined)
    return await sentenceAnswer(measure, limits.maxOutputTokens, found.problem, true);
  const { storedArtifact: first, others } = found;
  for (const { artifact } of others) deeds.read.set(artifact.id, artifact);
  for (const artifact of deeds.read.values()) await onRead?.(artifact);
  for (const artifact of ofFiles ? [] : deeds.read.values()) {
    const noText = noTextSentence(artifact, context, call);
    if (noText !== undefined)
      return await sentenceAnswer(measure, limits.maxOutputTokens, noText, true);
  }
  const usual = tool === "read" ? readLimits(first, limits) : limits;
  const limit = answerLimit(args.count("max_tokens"), usual, call);
  const ofAnswer = {
    ...context,
    limits: { ...limits, maxOutputTokens: limit.tokens },
    calls: printerOfAnswer(calls, tool, reference, limit),
  };
  const partial = await run(ofAnswer, first, args, call.signal, others);
  const within = await withinLimit(measure, limit.tokens, partial);
  if (tool === "read") tellRestored([onEvent, call.onEvent], first, call.scope, within);
  return within;
}
