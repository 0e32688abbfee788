import { join } from "node:path";

import { messageOf } from "../src/util/error-message.js";
import { type EvaluationOptions, HELP, parseCommandLine, UsageError } from "./command-line.js";
import { createModel, SCRIPTED } from "./model.js";
import { pendingJobs, planOf } from "./plan.js";
import { createProgress } from "./progress.js";
import { reportText, writePage } from "./report/page.js";
import { runJobs } from "./run.js";
import { appendTo, readRunFile } from "./run-file.js";
import { keyOf, type Sample } from "./sample.js";
import { scoreSamples } from "./scored.js";

/** Where the evaluation writes, and how it is ended. */
export interface EvaluationContext {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly signal: AbortSignal;
}

/** So many failures one after the other end a run: a wrong key fails every time. */
const MAX_FAILURES_IN_A_ROW = 5;

/** Runs the command line and returns the exit code: 0, 1 for conversations without result, 2 for wrong usage, 130 when ended. */
export async function evaluate(
  args: readonly string[],
  context: EvaluationContext,
): Promise<number> {
  try {
    const options = parseCommandLine(args);
    if (options === undefined) {
      context.out(HELP);
      return 0;
    }
    if (options.replay !== undefined) return await replay(options, options.replay, context);
    const code = await run(options, context);
    if (args.length === 0)
      context.err("This was the scripted reader; see npm run eval -- --help\n");
    return code;
  } catch (error) {
    context.err(`${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function run(options: EvaluationOptions, context: EvaluationContext): Promise<number> {
  const { model, windowTokens } = await createModel(options.model, options);
  const name = `${options.model.replaceAll(/[^\w.-]+/g, "-")}-${windowTokens}`;
  const file = join(options.outDirectory, `${name}.jsonl`);
  const before = readRunFile(file);
  const jobs = planOf({ ...options, windowTokens });
  const pending = pendingJobs(jobs, before.samples);
  if (before.brokenLines > 0)
    context.err(`${file}: ${before.brokenLines} lines could not be read.\n`);
  if (pending.length < jobs.length) {
    context.err(
      `${jobs.length - pending.length} of ${jobs.length} conversations are in ${file}.\n`,
    );
  }

  const append = appendTo(file);
  const progress = createProgress(pending.length, options.prices);
  let failuresInARow = 0;
  let stopped = "";
  const onSample = (sample: Sample): boolean => {
    append(sample);
    context.err(`${progress.add(sample)}\n`);
    failuresInARow = sample.outcome === "error" ? failuresInARow + 1 : 0;
    if (failuresInARow >= MAX_FAILURES_IN_A_ROW) stopped = `The model fails: ${sample.error}`;
    else if (progress.usedTokens() >= (options.maxTokens ?? Infinity)) {
      stopped = `The run has used ${progress.usedTokens()} tokens.`;
    }
    return stopped === "";
  };
  await runJobs(pending, { ...options, model, onSample, signal: context.signal });
  if (stopped !== "") context.err(`${stopped} Start again to go on.\n`);

  const wanted = new Set(jobs.map(({ key }) => keyOf(key)));
  const samples = readRunFile(file).samples.filter((sample) => wanted.has(keyOf(sample)));
  report(samples, options, name, context);
  const missing = pendingJobs(jobs, samples).length;
  if (missing > 0) context.err(`${missing} conversations are missing; start again to hold them.\n`);
  if (context.signal.aborted) return 130;
  return missing > 0 ? 1 : 0;
}

async function replay(
  options: EvaluationOptions,
  file: string,
  context: EvaluationContext,
): Promise<number> {
  const { samples, brokenLines } = readRunFile(file);
  if (brokenLines > 0) context.err(`${file}: ${brokenLines} lines could not be read.\n`);
  if (samples.length === 0) throw new UsageError(`There is no conversation in ${file}.`);
  const runs = new Set(samples.map(({ model, windowTokens }) => `${model} ${windowTokens}`));
  if (runs.size > 1) {
    throw new UsageError(`${file} holds several models or windows: ${[...runs].join(", ")}.`);
  }
  const name = file.replace(/^.*[/\\]/, "").replace(/\.jsonl$/, "");
  report(samples, options, name, context);
  return 0;
}

function report(
  samples: readonly Sample[],
  { outDirectory, prices }: EvaluationOptions,
  name: string,
  context: EvaluationContext,
): void {
  const scored = scoreSamples(samples);
  const errors = samples.length - scored.length;
  context.out(`${reportText(scored, prices)}\n`);
  if (errors > 0) context.err(`${errors} conversations failed and are not in the tables.\n`);
  if (scored.length === 0) return;
  context.err(`Written: ${writePage(scored, outDirectory, name, prices)}\n`);
  if (samples[0]?.model === SCRIPTED) {
    context.err("No model took part: these numbers check the machinery.\n");
  }
}
