import type { StoredArtifact } from "../../types/artifact.js";
import { type PartialAnswer, sentenceAnswer } from "../shared/answer/answer.js";
import type { CheckedArguments } from "../shared/arguments.js";
import type { DrillInContext } from "../shared/context.js";
import { answerJq } from "./answer.js";
import { idsByName, type NamedOutput } from "../shared/named-outputs.js";

/**
 * Runs a model's own jq filter over a stored output; others are variables of it, held in memory.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function queryByJq(
  context: DrillInContext,
  artifact: StoredArtifact,
  args: CheckedArguments,
  signal: AbortSignal | undefined,
  others: readonly NamedOutput[],
): Promise<PartialAnswer> {
  // A document with several sets is one value, whose parts have their own paths.
  const slurp = args.flag("slurp") === true && artifact.sets === undefined;
  const raw = args.flag("raw") ?? false;
  const compact = args.flag("compact") ?? true;
  const variables = args.variables("args") ?? {};
  const limit = args.count("limit");
  const skip = args.count("skip") ?? 0;
  const twice = others.find(({ name }) => Object.hasOwn(variables, name));
  if (twice !== undefined) {
    const both = `${twice.name} is both a value and an output; choose another name for one of them.`;
    return sentenceAnswer(context.measure, context.limits.maxOutputTokens, both, true);
  }
  return answerJq(
    context,
    artifact,
    {
      // jq takes an empty program for ".", but not an empty part of one.
      filter: args.text("filter")?.trim() || ".",
      slurp,
      raw,
      compact,
      variables,
      others,
      skip,
      limit,
      call: {
        tool: "jq",
        args: {
          filter: args.text("filter")?.trim() || ".",
          raw: raw || undefined,
          compact: compact ? undefined : false,
          slurp: slurp || undefined,
          args: args.variables("args"),
          // The place comes before the other outputs.
          skip: undefined,
          limit: undefined,
          with: idsByName(others),
        },
      },
    },
    signal,
  );
}
