import { noTextSentence } from "./sentences/media-sentence.js";
import { viewMedia } from "./view/view.js";
import type { OffloadListener } from "../types/events.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Ask } from "./ask.js";
import { extract } from "./extract/extract.js";
import { searchLines } from "./grep/grep.js";
import { queryByJq } from "./jq/jq.js";
import { readPart } from "./read/read.js";
import { tellRestored } from "./report.js";
import { type PartialAnswer, sentenceAnswer, withinLimit } from "./shared/answer/answer.js";
import { answerLimit, printerOfAnswer, readLimits } from "./shared/answer/answer-limit.js";
import type { CheckedArguments } from "./shared/arguments.js";
import { locatorName } from "./shared/call-printer.js";
import type { DrillInContext } from "./shared/context.js";
import { findIn, findOutputs, type NamedOutput } from "./shared/named-outputs.js";
import type { OutputDrillIn } from "./shared/tool-schemas.js";
import { queryBySql } from "./sql/sql.js";

type Run = (
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[],
) => Promise<PartialAnswer>;

const RUNS: Readonly<Record<Exclude<OutputDrillIn, "view">, Run>> = {
  read: readPart,
  grep: searchLines,
  jq: queryByJq,
  sql: queryBySql,
  extract,
};

/** What these drill-ins tell. */
interface Parts {
  /** Called and waited for before an artifact is read. */
  readonly onRead?: ((artifact: StoredArtifact) => Promise<void>) | undefined;
  /** Told of results that came back into a context. */
  readonly onEvent?: OffloadListener | undefined;
}

/** Asks an output that the arguments name. @throws whatever the store throws. */
export async function askOutput(
  tool: OutputDrillIn,
  ask: Ask,
  context: DrillInContext,
  { onRead, onEvent }: Parts,
): Promise<PartialAnswer> {
  const { args, call, deeds } = ask;
  const { measure, limits, calls } = context;
  const { reference } = args;
  const named = args.variables("with");
  const found = await findOutputs(
    {
      reference,
      named,
      idName: calls.nameOf(tool, locatorName(tool)),
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
  if (tool === "view") return await viewMedia(context, first, call);
  for (const artifact of deeds.read.values()) {
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
  const partial = await RUNS[tool](ofAnswer, first, args, call.signal, others);
  const within = await withinLimit(measure, limit.tokens, partial);
  if (tool === "read") tellRestored([onEvent, call.onEvent], first, call.scope, within);
  return within;
}
