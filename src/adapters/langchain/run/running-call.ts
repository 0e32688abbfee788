import { randomUUID } from "node:crypto";

import type { ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import type { OffloadListener } from "../../../events.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import type { CarriedArtifact } from "../../../types/artifact.js";
import type { ToolOutput } from "../../../types/output.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import type { CallSite } from "./call-site.js";
import { customStream } from "./custom-stream.js";
import { metadataOf, overridesOf } from "./run-overrides.js";
import { sessionOfTool } from "./session.js";

/** All that is known of an output before there is one. */
export type AwaitedOutput = Pick<
  ToolOutput,
  | "toolName"
  | "toolCallId"
  | "args"
  | "signal"
  | "sessionId"
  | "conversation"
  | "overrides"
  | "metadata"
  | "turn"
  | "turnCalls"
  | "seat"
>;

/** What a tool call tells of its turn. */
export type TurnOfCall = Pick<AwaitedOutput, "turn" | "turnCalls" | "seat">;

/** What is known of an output better than the place of its call says. */
interface KnownOutput {
  readonly turn: TurnOfCall;
  readonly conversation: AwaitedOutput["conversation"];
  readonly sessionId?: string;
}

/** A tool call while its tool runs, and what the tool offloads by hand. */
export interface RunningCall {
  readonly offloader: Offloader;
  readonly output: AwaitedOutput;
  readonly onEvent: OffloadListener;
  /** Of the graph when the tool was called. */
  readonly state: unknown;
  /** What was stored by hand, in order. */
  readonly stored: CarriedArtifact[];
  /** What needs no walk when the tool returns it: texts that it was given for values, and what was walked inside. */
  readonly walked: Set<unknown>;
}

/**
 * Where a config's `configurable` has its call. LangChain copies a config many times on its way to a tool's function,
 * with the symbols in it; neither traces nor checkpoints show symbols, and no request from outside can hold one.
 */
const CALL = Symbol.for("langchain-offload.call");

/** Starts to note what a tool offloads by hand. A call without a session has one of its own. */
export function startCall(
  offloader: Offloader,
  site: CallSite,
  { turn: { turn, turnCalls, seat }, conversation, sessionId }: KnownOutput,
): RunningCall {
  const { tool, toolName, toolCallId, args, signal } = site;
  const output: AwaitedOutput = {
    toolName,
    toolCallId,
    args: isRecord(args) ? args : undefined,
    signal,
    sessionId: sessionId ?? sessionOfTool(site) ?? randomUUID(),
    conversation,
    overrides: overridesOf(site, tool),
    metadata: metadataOf(tool),
    turn,
    turnCalls,
    seat,
  };
  const { state } = site;
  return { offloader, output, onEvent: customStream(site), state, stored: [], walked: new Set() };
}

/** The output of a call, as a message has it. Written out: copying an object and adding to it takes microseconds. */
export function outputOf({ output }: RunningCall, message: ToolMessage): ToolOutput {
  return {
    toolName: message.name ?? output.toolName,
    value: message.content,
    artifact: message.artifact,
    toolCallId: message.tool_call_id,
    args: output.args,
    signal: output.signal,
    sessionId: output.sessionId,
    conversation: output.conversation,
    overrides: output.overrides,
    metadata: output.metadata,
    turn: output.turn,
    turnCalls: output.turnCalls,
    seat: output.seat,
  };
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
  // Adding to what was spread takes microseconds.
  const given = isRecord(config) ? config : {};
  return Object.assign({}, given, { configurable: Object.assign({}, own, { [CALL]: call }) });
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
  // A long text is hashed to be looked up.
  return call.walked.size > 0 && call.walked.has(value);
}

/**
 * LangChain's own `artifact` of a tool message with what was stored by hand: one, or a list of several. A tool's own
 * artifact stays.
 */
export function withStored(artifact: unknown, { stored }: RunningCall): unknown {
  if (artifact !== undefined) return artifact;
  return stored.length > 1 ? stored : stored[0];
}
