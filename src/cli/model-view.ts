import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline";

import { type ModelTool, modelTools } from "../core/drill-in/model-tools.js";
import { createMeasure } from "../core/measure/measure.js";
import type { OffloadOptions } from "../core/options/options.js";
import { createOffloader } from "../core/pipeline/create-offloader.js";
import { fileStore } from "../core/store/file/index.js";
import { scopeOf } from "../core/store/naming.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../presets/index.js";
import { grouped } from "../util/amounts.js";
import { atSignals, type Call, type ExitCode, wrongUsage } from "./call.js";
import { readText } from "./find-output.js";
import { jsonLine, paintFor, writeFound, writeText } from "./print.js";
import { typedCall } from "./typed-call.js";

/** Where a person or a program waits, and within what a text can hold. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The window that a share of it is taken of, in tokens. */
const WINDOW_TOKENS = 128_000;
const SESSION = "cli";
const FORMS = ["auto", "full", "generic", "bare"] as const;

type PresetMaker = (directory: string, env: Call["env"]) => OffloadOptions;

/** Published designs whose descriptors can be had in a form that is asked for, and those with a form of their own. */
const WITH_FORMS: Readonly<Record<string, PresetMaker>> = {
  lro: () => lro(),
  atlatl: () => atlatl(),
};
const OWN_FORM: Readonly<Record<string, PresetMaker>> = {
  mcpagent: (directory) => mcpagent({ folder: directory }),
  vectara: () => vectara(),
  "meta-cc": (_, environment) => metaCc({ environment }),
};
const PRESETS = { ...WITH_FORMS, ...OWN_FORM };

/** What a model sees of one output, as `--json` prints it. */
interface SeenOutput {
  readonly tool: string;
  readonly outcome: string;
  /** The form of its descriptor. */
  readonly form: string | undefined;
  /** Of what was stored. */
  readonly id: string | undefined;
  readonly tokens: number;
  /** Tokens of the output itself. */
  readonly output_tokens: number;
  /** What stands in the context. */
  readonly text: string;
}

/** What a model has: what it sees of the outputs, and the tools for them. */
interface ModelView {
  readonly outputs: readonly SeenOutput[];
  readonly tools: readonly ModelTool[];
  readonly count: (text: string) => Promise<number>;
}

/** `describe`: what a model would see of a file. */
export async function describe(call: Call): Promise<ExitCode> {
  await withView(call, async ({ outputs }) => {
    for (const output of outputs) {
      if (call.values["json"] === true) await writeFound(call, output, []);
      else {
        await writeText(call.out, output.text);
        await call.err.write(`${costLine(output)}\n`);
      }
    }
  });
  return 0;
}

/**
 * `try`: answers the calls that come on standard input as a model's tools would, until `exit` or its end. A model reads
 * the whole conversation once more for each step.
 */
export async function tryOut(call: Call): Promise<ExitCode> {
  const { operands, out, input, values } = call;
  if (operands.includes("-")) throw wrongUsage("Calls come from standard input, so FILE cannot.");
  await withView(call, async ({ outputs, tools: made, count }) => {
    const tools = made.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const definitions = tools.map((tool) => JSON.stringify({ type: "function", function: tool }));
    const definition_tokens = await count(definitions.join("\n"));
    const shown = outputs.reduce((sum, { tokens }) => sum + tokens, 0);
    const totals = { calls: 0, input_tokens: 0, context_tokens: definition_tokens + shown };
    const first = outputs.find(({ id }) => id !== undefined)?.id;
    const note = noteOf(call);
    const prompt = out.isTerminal && input.isTTY === true ? "> " : "";
    const say = async (text: string, value: object): Promise<void> => {
      if (values["json"] === true) return await out.write(jsonLine(value));
      await writeText(out, text);
      await out.write(note(value));
    };
    const answer = async (line: string): Promise<void> => {
      if (line === "help") return await say(help, { tools });
      const asked = typedCall(line, tools, first);
      if ("problem" in asked) return await say(asked.problem, asked);
      const tool = made.find(({ name }) => name === asked.tool);
      const { text = "", failed } =
        (await tool?.run(asked.args, { scope: scopeOf(SESSION) })) ?? {};
      const call_tokens = await count(JSON.stringify({ name: asked.tool, args: asked.args }));
      const answer_tokens = await count(text);
      totals.calls += 1;
      totals.input_tokens += totals.context_tokens;
      totals.context_tokens += call_tokens + answer_tokens;
      await say(text, { text, failed, call_tokens, answer_tokens, ...totals });
    };
    const help = [...definitions, 'TOOL {"argument": …}, or short: jq length. End: exit.'].join(
      "\n",
    );
    const start = outputs
      .map((output) => `${output.text.trimEnd()}\n[${costLine(output)}]\n`)
      .join("");
    await say(start + help, { outputs, tools, definition_tokens, ...totals });
    await out.write(prompt);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (/^\s*(?:exit|quit)\s*$/.test(line)) break;
      if (line.trim() !== "") await answer(line.trim());
      await out.write(prompt);
    }
  });
  return 0;
}

/** The figures of an answer, in a line for a person. */
function noteOf(call: Call): (value: object) => string {
  const paint = paintFor(call);
  return (value) => {
    const figures = Object.entries(value)
      .filter(([, figure]) => typeof figure === "number")
      .map(([name, figure]) => `${name.replaceAll("_", " ")} ${grouped(Number(figure))}`);
    return figures.length === 0 ? "" : `${paint("dim", `[${figures.join(", ")}]`)}\n`;
  };
}

/** One line on what an output costs. */
function costLine({ tool, outcome, form, tokens, output_tokens }: SeenOutput): string {
  const whole = `${grouped(output_tokens)} tokens`;
  if (outcome === "inline") return `${tool}: ${whole}, below the limit: it stays as it is.`;
  const kind = form === undefined ? outcome : `form ${form}`;
  return `${tool}: ${grouped(tokens)} tokens in place of ${whole} (${kind}).`;
}

/**
 * Offloads the files as if tools had returned them, in a directory of their own, which is removed when the work is done
 * or a signal ends the process.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for options and files that are wrong.
 */
async function withView(call: Call, work: (view: ModelView) => Promise<void>): Promise<void> {
  const files: { readonly toolName: string; readonly value: string }[] = [];
  for (const path of call.operands)
    files.push({ toolName: toolNameOf(path), value: await readText(path, MAX_BYTES, call) });
  const directory = await mkdtemp(join(tmpdir(), "seat-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const ignoreSignals = atSignals((signal) => {
    remove();
    process.kill(process.pid, signal);
  });
  try {
    const offloader = createOffloader(optionsOf(call, directory));
    try {
      const measure = createMeasure();
      const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
      const outputs: SeenOutput[] = [];
      for (const { toolName, value } of files) {
        const result = await offloader.offload({ toolName, value, sessionId: SESSION });
        const { outcome, text = value } = result;
        const tokens = await count(text);
        const stored = result.outcome === "offloaded" ? result.storedArtifact : undefined;
        const form = result.outcome === "offloaded" ? result.descriptor.form : undefined;
        const output_tokens = stored?.tokens ?? (await count(value));
        outputs.push({
          tool: toolName,
          outcome,
          form,
          id: stored?.id,
          tokens,
          output_tokens,
          text,
        });
      }
      const { toolNames, toolShapes } = offloader.options;
      await work({ outputs, tools: modelTools({ ...offloader, toolNames, toolShapes }), count });
    } finally {
      await offloader.close();
    }
  } finally {
    ignoreSignals();
    remove();
  }
}

function toolNameOf(path: string): string {
  if (path === "-") return "input";
  return (
    basename(path, extname(path))
      .replaceAll(/[^\w-]+/g, "_")
      .slice(0, 64) || "file"
  );
}

/** The options of an agent whose outputs lie in a directory. */
function optionsOf(call: Call, directory: string): OffloadOptions {
  const { env, now } = call;
  const preset = oneOf(call, "preset", Object.keys(PRESETS));
  const form = oneOf(call, "form", FORMS);
  const tokens = call.number("threshold", 0);
  if (form !== undefined && preset !== undefined && Object.hasOwn(OWN_FORM, preset)) {
    const others = Object.keys(WITH_FORMS).join(", ");
    throw wrongUsage(
      `The preset ${preset} has a form of its own; --form goes with ${others} or none.`,
    );
  }
  const maker = PRESETS[preset ?? ""];
  return {
    ...(maker !== undefined && { preset: maker(directory, env) }),
    // That one has a folder for each session.
    ...(preset !== "mcpagent" && { store: fileStore({ directory }) }),
    now,
    contextWindowTokens: WINDOW_TOKENS,
    ...(form !== undefined && { describe: { form } }),
    ...(tokens !== undefined && { threshold: { tokens } }),
  };
}

function oneOf<Name extends string>(
  call: Call,
  option: "preset" | "form",
  names: readonly Name[],
): Name | undefined {
  const asked = call.text(option);
  const found = names.find((name) => name === asked);
  if (asked === undefined || found !== undefined) return found;
  throw wrongUsage(
    `There is no ${option} ${JSON.stringify(asked)}; there are ${names.join(", ")}.`,
  );
}
