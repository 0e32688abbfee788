import { randomUUID } from "node:crypto";

import { ensureConfig } from "@langchain/core/runnables";

import type { OffloadListener } from "../../../events.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import type { ToolOutput } from "../../../types/output.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import type { CallSite } from "./call-site.js";
import { conversationSize } from "./conversation.js";
import { customStream } from "./custom-stream.js";
import { metadataOf, overridesOf } from "./run-overrides.js";
import { sessionOfTool } from "./session.js";
import { messagesOf } from "./state-messages.js";

/** All that is known of an output before there is one. */
export type AwaitedOutput = Omit<ToolOutput, "value" | "artifact">;

/** A tool call while its tool runs, and what the tool offloads by hand. */
export interface RunningCall {
  readonly offloader: Offloader;
  readonly output: AwaitedOutput;
  readonly onEvent: OffloadListener;
  /** What was stored by hand, in order. */
  readonly stored: StoredArtifact[];
  /** What needs no walk when the tool returns it: texts that it was given for values, and what was walked inside. */
  readonly walked: Set<unknown>;
}

/**
 * Where a config's `configurable` has its call. LangChain copies a config many times on its way to a tool's function,
 * with the symbols in it; neither traces nor checkpoints show symbols, and no request from outside can hold one.
 */
const CALL = Symbol.for("langchain-offload.call");

/**
 * Starts to note what a tool offloads by hand. A call without a session has one of its own.
 *
 * @param known - What is known of the output better than the site says.
 */
export function startCall(
  offloader: Offloader,
  site: CallSite,
  known: Partial<AwaitedOutput> = {},
): RunningCall {
  const { tool, toolName, toolCallId, args, signal, state } = site;
  const output: AwaitedOutput = {
    toolName,
    toolCallId,
    args: isRecord(args) ? args : undefined,
    signal,
    conversation: conversationSize(messagesOf(state), undefined),
    overrides: overridesOf(site, tool),
    metadata: metadataOf(tool),
    ...known,
    sessionId: known.sessionId ?? sessionOfTool(site) ?? randomUUID(),
  };
  return { offloader, output, onEvent: customStream(site), stored: [], walked: new Set() };
}

/** The same call with more said of its output. */
export function withOutput(call: RunningCall, known: Partial<AwaitedOutput> = {}): RunningCall {
  return { ...call, output: { ...call.output, ...known } };
}

/** The config for a call's tool; the given one stays as it is. */
export function configFor(config: unknown, call: RunningCall): object {
  // A tool that is called by another one without a config runs where that one does.
  const configurable = fieldOf(config, "configurable") ?? ensureConfig().configurable;
  const own = typeof configurable === "object" ? configurable : {};
  return { ...(isRecord(config) ? config : {}), configurable: { ...own, [CALL]: call } };
}

/** The call that a config was made for. */
export function callOf(config: unknown): RunningCall | undefined {
  const configurable = fieldOf(config, "configurable");
  if (typeof configurable !== "object" || configurable === null) return undefined;
  const { [CALL]: call }: { readonly [CALL]?: RunningCall } = configurable;
  return call;
}

/** Whether a tool returned what needs no walk any more. */
export function isWalked(value: unknown, call: RunningCall): boolean {
  return call.walked.has(value);
}

/**
 * LangChain's own `artifact` of a tool message with what was stored by hand: one, or a list of several. A tool's own
 * artifact stays.
 */
export function withStored(artifact: unknown, { stored }: RunningCall): unknown {
  if (artifact !== undefined) return artifact;
  return stored.length > 1 ? stored : stored[0];
}
