import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelTools } from "../core/drill-in/model-tools.js";
import { createMeasure } from "../core/measure/measure.js";
import { createOffloader, type Offloader } from "../core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../core/options/options.js";
import { scopeOf } from "../core/store/naming.js";
import type { OffloadResult } from "../core/types/result.js";

/** A text as a tool would have returned it. */
export interface SeatFile {
  readonly toolName: string;
  readonly text: string;
}

/** A tool as far as a typed call has to know it. */
export interface CallableTool {
  readonly name: string;
  /** The arguments that must be there: first that which says the output. */
  readonly required: readonly string[];
}

/** What a model sees of one output. */
export interface SeenOutput {
  readonly toolName: string;
  /** Tokens of the output itself. */
  readonly outputTokens: number;
  readonly outcome: OffloadResult["outcome"];
  /** The form of its descriptor. */
  readonly form: string | undefined;
  /** Of what was stored. */
  readonly id: string | undefined;
  /** What stands in the context. */
  readonly text: string;
  readonly tokens: number;
}

/** A tool as a model is told of it. */
export interface SeatTool extends CallableTool {
  readonly description: string;
  readonly parameters: object;
}

/** The answer to a call. */
export interface SeatAnswer {
  readonly text: string;
  readonly failed: boolean;
  readonly callTokens: number;
  readonly answerTokens: number;
}

/** A model's place: outputs that went through the walk, and the tools for them. */
export interface Seat {
  readonly outputs: readonly SeenOutput[];
  readonly tools: readonly SeatTool[];
  /** Tokens of the tools' definitions. */
  readonly definitionTokens: number;
  call(tool: string, args: object): Promise<SeatAnswer>;
  /** Ends what runs and removes everything that was stored. */
  close(): Promise<void>;
}

const SESSION = "seat";

/**
 * Opens a seat in a directory of its own, which is removed when it is closed, or when a signal ends the process.
 *
 * @throws {@link OffloadError} whatever `optionsIn` and `createOffloader` throw.
 */
export async function openSeat(
  files: readonly SeatFile[],
  optionsIn: (directory: string) => OffloadOptions,
): Promise<Seat> {
  const directory = await mkdtemp(join(tmpdir(), "seat-"));
  const { done } = removedAtSignals(directory);
  let offloader: Offloader | undefined;
  const close = async (): Promise<void> => {
    await offloader?.close();
    done();
  };
  try {
    offloader = createOffloader(optionsIn(directory));
    return { ...(await seatOf(files, offloader)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function seatOf(
  files: readonly SeatFile[],
  offloader: Offloader,
): Promise<Omit<Seat, "close">> {
  const measure = createMeasure();
  const count = async (text: string): Promise<number> => (await measure.count(text)).tokens;
  const outputs: SeenOutput[] = [];
  for (const file of files) outputs.push(await seenOutput(file, offloader, count));
  const { toolNames, toolShapes } = offloader.options;
  const made = modelTools({ ...offloader, toolNames, toolShapes });
  const tools = made.map(({ name, description, parameters }): SeatTool => {
    const { required } = parameters;
    const names = Array.isArray(required) ? required.map(String) : [];
    return { name, description, parameters, required: names };
  });
  const scope = scopeOf(SESSION);
  return {
    outputs,
    tools,
    definitionTokens: await count(tools.map(definitionText).join("\n")),
    async call(name, args) {
      const tool = made.find((one) => one.name === name);
      const answer = await tool?.run(args, { scope });
      const { text, failed } = answer ?? { text: `There is no tool ${name}.`, failed: true };
      const callTokens = await count(JSON.stringify({ name, args }));
      return { text, failed, callTokens, answerTokens: await count(text) };
    },
  };
}

async function seenOutput(
  { toolName, text: whole }: SeatFile,
  offloader: Offloader,
  count: (text: string) => Promise<number>,
): Promise<SeenOutput> {
  const result = await offloader.offload({ toolName, value: whole, sessionId: SESSION });
  const { outcome } = result;
  const text = result.text ?? whole;
  const tokens = await count(text);
  if (outcome === "offloaded") {
    const { descriptor, storedArtifact } = result;
    const { id, tokens: outputTokens } = storedArtifact;
    return { toolName, outputTokens, outcome, form: descriptor.form, id, text, tokens };
  }
  const outputTokens = await count(whole);
  return { toolName, outputTokens, outcome, form: undefined, id: undefined, text, tokens };
}

/** A definition as providers are sent it. */
function definitionText({ name, description, parameters }: SeatTool): string {
  return JSON.stringify({ type: "function", function: { name, description, parameters } });
}

function removedAtSignals(directory: string): { readonly done: () => void } {
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const leave = (signal: NodeJS.Signals): void => {
    done();
    process.kill(process.pid, signal);
  };
  const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, leave);
  const done = (): void => {
    for (const signal of signals) process.off(signal, leave);
    remove();
  };
  return { done };
}
