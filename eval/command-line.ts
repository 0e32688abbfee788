import { parseArgs, type ParseArgsConfig } from "node:util";

import { messageOf } from "../src/util/error-message.js";
import { ARMS } from "./arms.js";
import { CORPORA, type CorpusName } from "./corpus.js";
import type { Prices } from "./cost.js";
import { SCRIPTED } from "./model.js";
import type { Selection } from "./plan.js";
import { QUESTION_KINDS } from "./question.js";

/** What the command line asks for. */
export interface EvaluationOptions extends Omit<Selection, "windowTokens"> {
  readonly windowTokens?: number;
  readonly temperature?: number;
  readonly parallel: number;
  readonly prices?: Prices;
  readonly maxTokens?: number;
  readonly outDirectory: string;
  readonly replay?: string;
}

/** A command line that cannot be used. */
export class UsageError extends Error {}

export const HELP: string = `Runs the evaluation: the same questions about the same records, in every arm.

  npm run eval                                          the scripted reader over 50 records
  npm run eval -- --model anthropic:claude-haiku-4-5 --scale 50,200
  npm run eval -- --replay eval/runs/openai-gpt-5-mini-400000.jsonl
  npm run eval -- --by-hand --help                      the practice set, played by you or by a program
  npm run eval -- --whole-documents                     what reading a whole text costs, inline and offloaded

  --model NAME         "${SCRIPTED}" (default) or provider:model, as initChatModel takes it
  --scale N,N          numbers of records (default 50)
  --arms A,B           ${ARMS.map(({ name }) => name).join(", ")}
  --corpora A,B        ${Object.keys(CORPORA).join(", ")}
  --tasks A,B          ${QUESTION_KINDS.join(", ")}
  --repeats N          seeds, so samples for each question (default 1)
  --seed N             the first seed (default 42)
  --window N           input tokens of one model call (default: the model's profile, or 128000)
  --temperature N      passed to the model (default: the provider's)
  --parallel N         conversations at once (default 1)
  --price-input N      for a million tokens; with --price-output the cost is shown
  --price-output N
  --price-cached N     of input from the provider's cache (default: as other input)
  --max-tokens N       stop when this run has used so many
  --out FOLDER         run files and pages (default eval/runs)
  --replay FILE        score a recorded run again; no model is called. Of results by hand, any number of .json files:
                       the calls are made again, and answers compared
  --help

A run is recorded in FOLDER/MODEL-WINDOW.jsonl, one conversation a line. Started again, it goes on where it ended;
conversations that failed are held again. Remove the file to start anew.
`;

const OPTIONS = {
  model: { type: "string", default: SCRIPTED },
  scale: { type: "string", default: "50" },
  arms: { type: "string" },
  corpora: { type: "string" },
  tasks: { type: "string" },
  repeats: { type: "string", default: "1" },
  seed: { type: "string", default: "42" },
  window: { type: "string" },
  temperature: { type: "string" },
  parallel: { type: "string", default: "1" },
  "price-input": { type: "string" },
  "price-output": { type: "string" },
  "price-cached": { type: "string" },
  "max-tokens": { type: "string" },
  out: { type: "string", default: "eval/runs" },
  replay: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

type NumberOption = "seed" | "repeats" | "window" | "parallel" | "max-tokens";

const MAX_SCALE = 1_000_000;

/** Parses the command line; `undefined` when help is asked for. @throws {@link UsageError} with a sentence for the user. */
export function parseCommandLine(args: readonly string[]): EvaluationOptions | undefined {
  const values = optionsIn(args, OPTIONS);
  if (values.help) return undefined;
  const whole = (name: NumberOption, least: number, most = 1e12): number | undefined =>
    numberFrom(`--${name}`, values[name], least, most, true);
  const scales = values.scale.split(",").map((scale) => {
    const number = numberFrom("--scale", scale, 1, MAX_SCALE, true);
    return number ?? 0;
  });
  const first = whole("seed", 0) ?? 0;
  const repeats = whole("repeats", 1, 1_000) ?? 1;
  const prices = pricesFrom(values);
  const [windowTokens, maxTokens] = [whole("window", 1_000), whole("max-tokens", 1)];
  const temperature = numberFrom("--temperature", values.temperature, 0, 2, false);
  return {
    model: values.model,
    arms: namesFrom(
      "--arms",
      values.arms,
      ARMS.map(({ name }) => name),
    ),
    corpora: namesFrom("--corpora", values.corpora, Object.keys(CORPORA) as CorpusName[]),
    scales: [...new Set(scales)],
    kinds: namesFrom("--tasks", values.tasks, QUESTION_KINDS),
    seeds: Array.from({ length: repeats }, (_, index) => first + index),
    parallel: whole("parallel", 1, 100) ?? 1,
    outDirectory: values.out,
    ...(windowTokens !== undefined && { windowTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(prices !== undefined && { prices }),
    ...(values.replay !== undefined && { replay: values.replay }),
  };
}

/** The values of options. @throws {@link UsageError} that names the help. */
export function optionsIn<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Options,
  help: string = "npm run eval -- --help",
): ReturnType<typeof parseArgs<{ options: Options }>>["values"] {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error).split(". ")[0]}. See ${help}`);
  }
}

function pricesFrom(
  values: Readonly<Partial<Record<`price-${"input" | "output" | "cached"}`, string>>>,
): Prices | undefined {
  const price = (name: "input" | "output" | "cached"): number | undefined =>
    numberFrom(`--price-${name}`, values[`price-${name}`], 0, 1e6, false);
  const [input, output, cached] = [price("input"), price("output"), price("cached")];
  if (input === undefined && output === undefined && cached === undefined) return undefined;
  if (input === undefined || output === undefined) {
    throw new UsageError("A cost needs --price-input and --price-output.");
  }
  return { input, output, ...(cached !== undefined && { cached }) };
}

function numberFrom(
  option: string,
  given: string | undefined,
  least: number,
  most: number,
  isWhole: boolean,
): number | undefined {
  if (given === undefined) return undefined;
  const text = given.trim();
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return number;
  const kind = isWhole ? "a whole number" : "a number";
  throw new UsageError(`${option} is "${text}"; it is ${kind} from ${least} to ${most}.`);
}

function namesFrom<Name extends string>(
  option: string,
  given: string | undefined,
  known: readonly Name[],
): readonly Name[] {
  if (given === undefined) return known;
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined)
    throw new UsageError(`${option} does not know "${unknown}". There are ${known.join(", ")}`);
  return known.filter((name) => names.includes(name));
}
