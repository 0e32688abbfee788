import { ensureConfig } from "@langchain/core/runnables";

import { unwrapOutput } from "../../content/unwrap.js";
import { OffloadError } from "../../errors.js";
import type { OffloadListener } from "../../events.js";
import type { Offloader } from "../../offload/create-offloader.js";
import type { PutOptions } from "../../offload/put.js";
import type { StoredArtifact, ToolOutput } from "../../types.js";

/** A tool call while its tool runs, and what the tool offloads by hand. */
export interface RunningCall {
  readonly offloader: Offloader;
  readonly place: Pick<ToolOutput, "toolName" | "toolCallId" | "args" | "sessionId" | "turn">;
  readonly onEvent: OffloadListener | undefined;
  /** What was stored by hand, in order. */
  readonly stored: StoredArtifact[];
  /** What the tool was given for it: returned as it is, it stays as it is. */
  readonly texts: Set<string>;
}

/**
 * Where a config's `configurable` has its call. LangChain copies a config many times on its way to a tool's function,
 * with the symbols in it; neither traces nor checkpoints show symbols, and no request from outside can hold one.
 */
const CALL = Symbol.for("langchain-offload.call");

/** Starts to note what a tool offloads by hand. */
export function startCall(
  offloader: Offloader,
  { onEvent, ...call }: RunningCall["place"] & { readonly onEvent?: OffloadListener | undefined },
): RunningCall {
  const { toolName, toolCallId, args, sessionId, turn } = call;
  const place = { toolName, toolCallId, args, sessionId, turn };
  return { offloader, place, onEvent, stored: [], texts: new Set() };
}

/** The config for a call's tool; the given one stays as it is. */
export function configFor(config: unknown, call: RunningCall): object {
  // A tool that is called by another one without a config runs where that one does.
  const configurable = fieldOf(config, "configurable") ?? ensureConfig().configurable;
  return { ...asObject(config), configurable: { ...configurable, [CALL]: call } };
}

/** The call that a config was made for. */
export function callOf(config: unknown): RunningCall | undefined {
  const configurable: { readonly [CALL]?: RunningCall } = fieldOf(config, "configurable") ?? {};
  return configurable[CALL];
}

/** Whether a tool returned what it was given for a value that it offloaded. */
export function isByHand(value: unknown, call: RunningCall | undefined): boolean {
  return typeof value === "string" && call?.texts.has(value) === true;
}

/**
 * LangChain's own `artifact` of a tool message with what was stored by hand: one, or a list of several. A tool's own
 * artifact stays.
 */
export function withStored(artifact: unknown, call: RunningCall | undefined): unknown {
  if (artifact !== undefined || call === undefined) return artifact;
  const { stored } = call;
  return stored.length > 1 ? stored : stored[0];
}

/** Stores a value whatever its size, and gives the text that stands for it. */
export type OffloadValue = (
  value: unknown,
  options?: Pick<PutOptions, "title" | "form">,
) => Promise<string>;

/**
 * For a tool's own use: `offload` of the agent, node or wrapper that the tool runs under. What it is given is stored
 * in the conversation of the call, whatever its size, and comes back as the text that stands for it: return
 * that, or put it into what you return.
 *
 * The text of a value that cannot be stored is that value, cut to the threshold. It rejects only with what a stream
 * throws, and with code `INVALID_ARGUMENTS` for a value without text or with images and files beside it.
 *
 * @param config - What LangChain hands the tool beside its arguments.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when the call runs under no offloader.
 */
export function offloadFrom(config: unknown): OffloadValue {
  const call = callOf(config) ?? callOf(ensureConfig());
  if (call === undefined) throw new OffloadError("INVALID_ARGUMENTS", NO_OFFLOADER);
  return async (value, { title, form } = {}) => {
    const { offloader, place, onEvent } = call;
    const output: ToolOutput = {
      ...place,
      value,
      title,
      always: true,
      signal: signalOf(config),
      overrides: form === undefined ? undefined : { form },
    };
    const result = await offloader.offload(output, onEvent);
    if (result.outcome === "inline") return textOf(result.value);
    if (result.keptBlocks.length > 0) throw new OffloadError("INVALID_ARGUMENTS", TEXT_ONLY);
    if (result.outcome === "offloaded") note(call.stored, result.storedArtifact);
    call.texts.add(result.text);
    return result.text;
  };
}

const NO_OFFLOADER =
  "This call runs under no offloader, so there is nowhere to keep a value. Hand on the config that the tool is " +
  "given, as in offloadFrom(config), and run the tool under offloadMiddleware(), offloadToolNode() or withOffload().";

const TEXT_ONLY =
  "offload() takes text and data; return images and files beside what it gives, as content blocks.";

/** A value that no step of the walk could take. */
function textOf(value: unknown): string {
  const { text, keptBlocks } = unwrapOutput({ value });
  if (keptBlocks.length > 0) throw new OffloadError("INVALID_ARGUMENTS", TEXT_ONLY);
  if (text !== undefined) return text;
  throw new OffloadError("INVALID_ARGUMENTS", "This value has no text to store.");
}

/** Equal values are one artifact. */
function note(stored: StoredArtifact[], artifact: StoredArtifact): void {
  if (stored.every(({ id }) => id !== artifact.id)) stored.push(artifact);
}

function signalOf(config: unknown): AbortSignal | undefined {
  const signal = fieldOf(config, "signal");
  return signal instanceof AbortSignal ? signal : undefined;
}

function fieldOf(value: unknown, name: string): object | undefined {
  return asObject(asObject(value) && Reflect.get(Object(value), name));
}

function asObject(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}
