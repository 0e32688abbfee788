import { randomUUID } from "node:crypto";

import type { ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import type { OffloadListener } from "../../../core/types/events.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import type { CarriedArtifact } from "../../../core/types/artifact.js";
import { scopeOf } from "../../../core/store/naming.js";
import type { ToolOutput } from "../../../core/types/output.js";
import type { RunningCall } from "../../../core/types/running-call.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import type { CallSite } from "./call-site.js";
import { customStream } from "./custom-stream.js";
import { metadataOf, overridesOf } from "./run-overrides.js";
import { sessionOfTool } from "./session.js";

/** The place of a call in its turn. */
export type TurnOfCall = Pick<RunningCall, "turn" | "turnCalls" | "seat">;

/** What is known of a call better than its place says. */
interface KnownOfCall extends TurnOfCall, Pick<RunningCall, "conversation"> {
  readonly sessionId?: string;
}

/** The call of a tool in an agent or a graph, while the tool runs, and what the tool offloads by hand. */
export interface ToolRun extends Omit<RunningCall, "state"> {
  readonly offloader: Offloader;
  readonly sessionId: string;
  readonly toolName: string;
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
  { turn, turnCalls, seat, conversation, ...known }: KnownOfCall,
): ToolRun {
  const { tool, toolName, toolCallId, args, signal, state } = site;
  const sessionId = known.sessionId ?? sessionOfTool(site) ?? randomUUID();
  return {
    offloader,
    sessionId,
    scope: scopeOf(sessionId),
    toolName,
    toolCallId,
    args: isRecord(args) ? args : undefined,
    signal,
    conversation,
    overrides: overridesOf(site, tool),
    metadata: metadataOf(tool),
    turn,
    turnCalls,
    seat,
    onEvent: customStream(site),
    state,
    stored: [],
    walked: new Set(),
  };
}

/** The output of a call. Written out: copying an object and adding to it takes microseconds. */
export function outputOf(
  call: ToolRun,
  { value, artifact, toolName = call.toolName, toolCallId = call.toolCallId }: GivenOutput,
): ToolOutput {
  return {
    toolName,
    value,
    artifact,
    toolCallId,
    args: call.args,
    signal: call.signal,
    sessionId: call.sessionId,
    conversation: call.conversation,
    overrides: call.overrides,
    metadata: call.metadata,
    turn: call.turn,
    turnCalls: call.turnCalls,
    seat: call.seat,
  };
}

/** What a tool has given. */
type GivenOutput = Pick<ToolOutput, "value" | "artifact" | "toolCallId"> & {
  readonly toolName?: string | undefined;
};

/** The same of a message. */
export function outputOfMessage(
  call: ToolRun,
  { name, content, artifact, tool_call_id }: ToolMessage,
): ToolOutput {
  return outputOf(call, { toolName: name, value: content, artifact, toolCallId: tool_call_id });
}

/** The config for a call's tool; the given one stays as it is. */
export function configFor(config: unknown, call: ToolRun): object {
  // A tool that is called by another one without a config runs where that one does.
  const configurable = fieldOf(config, "configurable") ?? ensureConfig().configurable;
  const own = typeof configurable === "object" ? configurable : {};
  // Adding to what was spread takes microseconds.
  const given = isRecord(config) ? config : {};
  return Object.assign({}, given, { configurable: Object.assign({}, own, { [CALL]: call }) });
}

/** The call that a config was made for. */
export function callOf(config: unknown): ToolRun | undefined {
  const configurable = fieldOf(config, "configurable");
  if (typeof configurable !== "object" || configurable === null) return undefined;
  const { [CALL]: call }: { readonly [CALL]?: ToolRun } = configurable;
  return call;
}

/** Whether a tool returned what needs no walk any more. */
export function isWalked(value: unknown, call: ToolRun): boolean {
  // A long text is hashed to be looked up.
  return call.walked.size > 0 && call.walked.has(value);
}

/**
 * LangChain's own `artifact` of a tool message with what was stored by hand: one, or a list of several. A tool's own
 * artifact stays.
 */
export function withStored(artifact: unknown, { stored }: ToolRun): unknown {
  if (artifact !== undefined) return artifact;
  return stored.length > 1 ? stored : stored[0];
}
