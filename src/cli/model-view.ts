import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline";

import { type ModelTool, modelTools } from "../core/drill-in/tool-shape.js";
import { createMeasure } from "../core/measure/measure.js";
import type { OffloadOptions } from "../core/options/options.js";
import { createOffloader } from "../core/pipeline/create-offloader.js";
import { fileStore } from "../core/store/file/index.js";
import { scopeOf } from "../core/store/naming.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../presets/index.js";
import { grouped } from "../util/amounts.js";
import { atSignals, type Call, type ExitCode, wrongUsage } from "./call.js";
import { readText } from "./find-output.js";
import { jsonLine, paintFor, writeText } from "./print.js";
import { typedCall } from "./typed-call.js";

/** Where a person or a program waits, and within what a text can hold. */
const MAX_BYTES = 256 * 1024 * 1024;
/** The window that a share of it is taken of, in tokens. */
const WINDOW_TOKENS = 128_000;
const SESSION = "cli";
const FORMS = ["auto", "full", "generic", "bare"] as const;

const PRESETS = ["lro", "atlatl", "mcpagent", "vectara", "meta-cc"] as const;

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
      if (call.flags["json"]) await call.out.write(jsonLine(output));
      else {
        await writeText(call.out, output.text);
        await call.err.write(`${costLine(output)}\n`);
      }
    }
  });
  return 0;
}

/** One line on what an output costs. */
function costLine({ tool, outcome, form, tokens, output_tokens }: SeenOutput): string {
  return `${tool}: ${grouped(tokens)} tokens in place of ${grouped(output_tokens)} (${form ?? outcome}).`;
}

/**
 * `try`: answers the calls that come on standard input as a model's tools would, until `exit` or its end. A model reads
 * the whole conversation once more for each step.
 */
export async function tryOut(call: Call): Promise<ExitCode> {
  const { operands, out, input, flags } = call;
  if (operands.includes("-")) throw wrongUsage("Calls come from standard input, so FILE cannot.");
  await withView(call, async ({ outputs, tools, count }) => {
    const definitions = tools.map((tool) => JSON.stringify({ type: "function", function: tool }));
    const help = `${definitions.join("\n")}\nTOOL {"argument": …}, or short: jq length. End: exit.`;
    const definition_tokens = await count(definitions.join("\n"));
    const shown = outputs.reduce((sum, { tokens }) => sum + tokens, 0);
    const totals = { calls: 0, input_tokens: 0, context_tokens: definition_tokens + shown };
    const first = outputs.find(({ id }) => id !== undefined)?.id;
    const answer = async (line: string): Promise<void> => {
      const asked = typedCall(line, tools, first);
      if ("problem" in asked) return await say(call, asked.problem, asked);
      const tool = tools.find(({ name }) => name === asked.tool);
      const { text = "", failed } =
        (await tool?.run(asked.args, { scope: scopeOf(SESSION) })) ?? {};
      const call_tokens = await count(JSON.stringify({ name: asked.tool, args: asked.args }));
      const answer_tokens = await count(text);
      totals.calls += 1;
      totals.input_tokens += totals.context_tokens;
      totals.context_tokens += call_tokens + answer_tokens;
      await say(call, text, { text, failed, call_tokens, answer_tokens, ...totals });
    };
    const seen = outputs.map((output) => `${output.text.trimEnd()}\n[${costLine(output)}]\n`);
    await say(call, seen.join("") + help, { outputs, tools, definition_tokens, ...totals });
    const prompt = out.isTerminal && input.isTTY === true && !flags["json"] ? "> " : "";
    await out.write(prompt);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const typed = line.trim();
      if (typed === "exit" || typed === "quit") break;
      if (typed === "help") await say(call, help, { tools });
      else if (typed !== "") await answer(typed);
      await out.write(prompt);
    }
  });
  return 0;
}

/** What a program reads of an answer, or its text and its figures for a person. */
async function say(call: Call, text: string, value: object): Promise<void> {
  if (call.flags["json"]) return await call.out.write(jsonLine(value));
  await writeText(call.out, text);
  const figures = Object.entries(value)
    .filter(([, figure]) => typeof figure === "number")
    .map(([name, figure]) => `${name.replaceAll("_", " ")} ${grouped(Number(figure))}`);
  if (figures.length > 0)
    await call.out.write(`${paintFor(call)("dim", `[${figures.join(", ")}]`)}\n`);
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
        const { id, form } =
          outcome === "offloaded"
            ? { id: result.storedArtifact.id, form: result.descriptor.form }
            : {};
        const [tokens, output_tokens] = [await count(text), await count(value)];
        outputs.push({ tool: toolName, outcome, form, id, tokens, output_tokens, text });
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
  const preset = oneOf(call, "preset", PRESETS);
  const form = oneOf(call, "form", FORMS);
  const tokens = call.numbers["threshold"];
  if (form !== undefined && preset !== undefined && preset !== "lro" && preset !== "atlatl")
    throw wrongUsage(`The preset ${preset} has a form of its own; --form goes with lro or atlatl.`);
  return {
    // That one has a folder for each session.
    ...(preset !== "mcpagent" && { store: fileStore({ directory }) }),
    ...(preset !== undefined && { preset: presetOf(preset, directory, call) }),
    now: call.now,
    contextWindowTokens: WINDOW_TOKENS,
    ...(form !== undefined && { describe: { form } }),
    ...(tokens !== undefined && { threshold: { tokens } }),
  };
}

function presetOf(name: (typeof PRESETS)[number], folder: string, { env }: Call): OffloadOptions {
  if (name === "mcpagent") return mcpagent({ folder });
  if (name === "meta-cc") return metaCc({ environment: env });
  return { lro, atlatl, vectara }[name]();
}

function oneOf<Name extends string>(
  call: Call,
  option: "preset" | "form",
  names: readonly Name[],
): Name | undefined {
  const asked = call.texts[option];
  const found = names.find((name) => name === asked);
  if (asked === undefined || found !== undefined) return found;
  throw wrongUsage(
    `There is no ${option} ${JSON.stringify(asked)}; there are ${names.join(", ")}.`,
  );
}
