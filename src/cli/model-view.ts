import { createReadStream, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline";

import { unwrapped } from "../core/drill-in/arguments.js";
import { createMeasure } from "../core/measure/measure.js";
import type { OffloadOptions } from "../core/options/options.js";
import { createOffloader, type Offloader } from "../core/pipeline/create-offloader.js";
import { fileStore } from "../core/store/file/index.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../presets/index.js";
import { messageOf } from "../util/error-message.js";
import { bytes, grouped } from "../util/amounts.js";
import { fieldOf } from "../util/field-of.js";
import { isRecord, type JsonObject } from "../util/is-record.js";
import { atSignals, type Call, type ExitCode, wrongUsage } from "./call.js";
import { writeText } from "./print.js";

const MAX_BYTES = 256 * 1024 * 1024;
/** Context window for thresholds that are a share of it, in tokens. */
const WINDOW_TOKENS = 128_000;
const SESSION = "cli";
const PRESETS = new Map<string, (folder: string) => OffloadOptions>([
  ["lro", () => lro()],
  ["atlatl", () => atlatl()],
  ["mcpagent", (folder) => mcpagent({ folder })],
  ["vectara", () => vectara()],
  ["meta-cc", () => metaCc()],
]);

type SeenOutput = Awaited<ReturnType<typeof seenOutput>>;

const measure = createMeasure();

export async function describe(call: Call): Promise<ExitCode> {
  await withView(call, async (outputs) => {
    for (const { tool, outcome, tokens, whole, text } of outputs) {
      await writeText(call.out, text);
      const figures = `${grouped(tokens)} tokens in place of ${grouped(whole)}`;
      await call.err.write(`${tool}: ${figures} (${outcome}).\n`);
    }
  });
  return 0;
}

export async function tryOut(call: Call): Promise<ExitCode> {
  const { out, input } = call;
  if (call.operands.includes("-"))
    throw wrongUsage("try reads calls from standard input, so - is no file for it.");
  await withView(call, async (outputs, offloader) => {
    const tools = offloader.tools(SESSION);
    const definitions = tools
      .map((tool) => JSON.stringify({ type: "function", function: tool }))
      .join("\n");
    const first = outputs.find(({ id }) => id !== undefined)?.id;
    let context = await tokensIn(definitions);
    const say = async (text: string, tokens: number) => {
      context += tokens;
      await writeText(out, text);
      await out.write(`[${grouped(tokens)} tokens, ${grouped(context)} in the context]\n`);
    };
    for (const output of outputs) await say(output.text, output.tokens);
    await writeText(out, `${definitions}\nTOOL {"argument": …}. End: exit.`);
    const lines = createInterface({ input, crlfDelay: Infinity });
    for await (const line of lines) {
      const typed = line.trim();
      if (typed === "exit") break;
      if (typed === "") continue;
      const asked = typedCall(typed, tools, first);
      if ("problem" in asked) {
        await writeText(out, asked.problem);
        continue;
      }
      const tool = tools.find(({ name }) => name === asked.tool);
      const { text = "" } = (await tool?.run(asked.args)) ?? {};
      await say(text, (await tokensIn(JSON.stringify(asked))) + (await tokensIn(text)));
    }
    // Otherwise a terminal keeps the process alive.
    lines.close();
  });
  return 0;
}

export type TypedCall =
  | { readonly tool: string; readonly args: JsonObject }
  | { readonly problem: string };

/**
 * Parses a typed call: `jq_tool_output {"filter": "length"}`.
 * @param tools - The first required argument of their schema names the output.
 * @param id - The output that is meant where a call names none.
 */
export function typedCall(
  line: string,
  tools: readonly { readonly name: string; readonly parameters: object }[],
  id: string | undefined,
): TypedCall {
  const [word = ""] = line.split(" ", 1);
  const tool = tools.find(({ name }) => name === word);
  const args = unwrapped(line.slice(word.length).trim());
  if (tool === undefined || !isRecord(args)) {
    const names = tools.map(({ name }) => name).join(", ");
    return { problem: `Write one of ${names}, and its arguments as a JSON object.` };
  }
  const properties = Object(fieldOf(tool.parameters, "properties"));
  const [name] = Object.values<string>(Object(fieldOf(tool.parameters, "required")));
  // A name that the tool does not show may stand for the output.
  const isKnown = Object.keys(args).every((key) => Object.hasOwn(properties, key));
  const place = isKnown && id && name ? { [name]: id } : {};
  return { tool: tool.name, args: { ...place, ...args } };
}

/**
 * Uses a temporary directory, which is removed at the end or on a signal.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for wrong options and files.
 */
async function withView(
  call: Call,
  work: (outputs: readonly SeenOutput[], offloader: Offloader) => Promise<void>,
): Promise<void> {
  const files: (readonly [path: string, value: string])[] = [];
  for (const path of call.operands) files.push([path, await readText(path, call)]);
  const directory = await mkdtemp(join(tmpdir(), "seat-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const ignoreSignals = atSignals((signal) => {
    remove();
    process.kill(process.pid, signal);
  });
  let offloader: Offloader | undefined;
  try {
    offloader = createOffloader(optionsOf(call, directory));
    const outputs: SeenOutput[] = [];
    for (const file of files) outputs.push(await seenOutput(offloader, ...file));
    await work(outputs, offloader);
  } finally {
    await offloader?.close();
    ignoreSignals();
    remove();
  }
}

async function seenOutput(offloader: Offloader, path: string, value: string) {
  const tool = toolNameOf(path);
  const result = await offloader.offload({ toolName: tool, value, sessionId: SESSION });
  const { outcome, text = value } = result;
  return {
    tool,
    outcome,
    id: outcome === "offloaded" ? result.storedArtifact.id : undefined,
    tokens: await tokensIn(text),
    whole: await tokensIn(value),
    text,
  };
}

async function tokensIn(text: string): Promise<number> {
  return (await measure.count(text)).tokens;
}

function toolNameOf(path: string): string {
  if (path === "-") return "input";
  const name = basename(path, extname(path)).replaceAll(/[^\w-]+/g, "_");
  return name.slice(0, 64) || "file";
}

function optionsOf(call: Call, directory: string): OffloadOptions {
  const { preset: name } = call.texts;
  const { threshold: tokens } = call.numbers;
  const preset = PRESETS.get(name ?? "");
  if (name !== undefined && preset === undefined) {
    const known = [...PRESETS.keys()].join(", ");
    throw wrongUsage(`There is no preset ${JSON.stringify(name)}; there are ${known}.`);
  }
  return {
    // mcpagent sets its own store.
    ...(name !== "mcpagent" && { store: fileStore({ directory }) }),
    ...(preset && { preset: preset(directory) }),
    now: call.now,
    contextWindowTokens: WINDOW_TOKENS,
    ...(tokens !== undefined && { threshold: { tokens } }),
  };
}

/**
 * @param path - A file, a named pipe, or `-` for standard input.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what cannot be read, is not UTF-8
 * text, or is too large.
 */
async function readText(path: string, { input }: Call): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    const stream: AsyncIterable<Uint8Array> = path === "-" ? input : createReadStream(path);
    for await (const part of stream) {
      length += part.length;
      if (length > MAX_BYTES) throw new Error(`it has more than ${bytes(MAX_BYTES)}`);
      parts.push(part);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch (error) {
    const name = path === "-" ? "Standard input" : JSON.stringify(path);
    throw wrongUsage(`${name} cannot be read: ${messageOf(error)}.`);
  }
}
