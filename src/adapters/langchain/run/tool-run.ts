import { randomUUID } from "node:crypto";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import { emit, type OffloadEvent, type OffloadListener } from "../../../core/types/events.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { CarriedArtifact } from "../../../core/types/artifact.js";
import type { ToolOutput } from "../../../core/types/output.js";
import { fieldOf } from "../../../util/field-of.js";
import { listOf, recordOf } from "../../../util/as-kind.js";
import {
  type CallSite,
  customStream,
  listIn,
  messagesOf,
  overridesOf,
  runOf,
  sessionOfTool,
} from "./session.js";
import { ownToolNames } from "../../../core/options/tools.js";
import { Conversation, turnOf, windowTokensOf } from "../model-call/context.js";

type TurnOfCall = Pick<ToolOutput, "turn" | "turnCalls" | "slot">;

export interface ToolRun {
  readonly offloader: Offloader;
  readonly output: Omit<ToolOutput, "value">;
  readonly onEvent: OffloadListener;
  readonly state: unknown;
  /** The output answers the user, or code at the provider, so it is cleaned and stays. */
  readonly staysWhole: boolean;
  readonly callState: Map<string, unknown>;
  readonly stored: CarriedArtifact[];
  readonly offloaded: Set<unknown>;
}

const CALL = Symbol.for("langchain-offload.call");

export function startCall(
  offloader: Offloader,
  site: CallSite,
  turn: TurnOfCall = turnOfCall(offloader, site.state),
  sessionId: string = sessionOfTool(site) ?? randomUUID(),
): ToolRun {
  const { tool, toolName, toolCallId, args, signal, state } = site;
  const callers = listOf(fieldOf(fieldOf(tool, "extras"), "allowed_callers"));
  return {
    offloader,
    output: {
      toolName,
      toolCallId,
      args: recordOf(args),
      signal,
      overrides: overridesOf(site),
      metadata: recordOf(fieldOf(tool, "metadata")),
      ...turn,
      conversation: new Conversation(state, windowTokensOf(offloader, sessionId)),
      sessionId,
    },
    onEvent: customStream(site),
    state,
    staysWhole:
      fieldOf(tool, "returnDirect") === true || (callers.length > 0 && !callers.includes("direct")),
    callState: new Map(),
    stored: [],
    offloaded: new Set(),
  };
}

export function tellAll({ offloader, onEvent }: ToolRun, event: OffloadEvent): void {
  internals(offloader).notify(event);
  emit(onEvent, event);
}

export function outputOfMessage(
  { output }: ToolRun,
  { name, content: value, artifact, tool_call_id: toolCallId }: ToolMessage,
): ToolOutput {
  // A tool may write any name, but rules for outputs go by the tool that was called.
  const isAnswer = toolCallId === (output.toolCallId ?? toolCallId);
  const toolName = isAnswer ? output.toolName : (name ?? output.toolName);
  const args = isAnswer ? output.args : undefined;
  // A spread took ten times as long.
  return Object.assign({}, output, { toolName, args, value, artifact, toolCallId });
}

export function configFor(config: unknown, call: ToolRun): object {
  const configurable = Object.assign({}, runOf(config).configurable, { [CALL]: call });
  return Object.assign({}, config, { configurable });
}

export function callOf(config: unknown): ToolRun | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `configFor` sets it
  return fieldOf(fieldOf(config, "configurable"), CALL) as ToolRun | undefined;
}

export function turnOfCall(
  offloader: Offloader,
  state: unknown,
  open: OpenCalls | undefined = offloader.options.turnBudget && openCalls(offloader, state),
): Pick<TurnOfCall, "turn" | "turnCalls"> {
  return { turn: turnOf(listIn(state)), turnCalls: open?.calls.length || undefined };
}

/** A call that throws keeps its share, because it may run again. */
export async function inTurn<Result>(
  offloader: Offloader,
  site: CallSite,
  run: (call: ToolRun) => Promise<Result>,
): Promise<Result> {
  const { state, toolCallId: callId = "", signal } = site;
  const open = offloader.options.turnBudget && openCalls(offloader, state);
  const turn = turnOfCall(offloader, state, open);
  const { calls = [] } = open ?? {};
  const position = calls.indexOf(callId);
  const { maxConcurrency = Infinity } = ensureConfig();
  // With fewer concurrent calls than calls of the turn, slots would deadlock; then each takes an equal share.
  const slot =
    position === -1 || maxConcurrency < calls.length
      ? undefined
      : internals(offloader).turns.join(JSON.stringify([sessionOfTool(site), turn.turn]), {
          callId,
          position,
          calls: calls.length,
          signal,
        });
  try {
    const result = await run(startCall(offloader, site, { ...turn, slot }));
    slot?.end(true);
    return result;
  } finally {
    slot?.end(false);
  }
}

interface OpenCalls {
  readonly calls: readonly string[];
  readonly drillIns: number;
}

export function openCalls({ options }: Offloader, state: unknown): OpenCalls {
  const messages = messagesOf(state);
  const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const asking = messages[last];
  if (!AIMessage.isInstance(asking)) return { calls: [], drillIns: 0 };
  const answers = messages.slice(last + 1).filter((message) => ToolMessage.isInstance(message));
  const answered = new Set<unknown>([undefined, ...answers.map((answer) => answer.tool_call_id)]);
  const open = (asking.tool_calls ?? []).filter(({ id }) => !answered.has(id));
  const own = ownToolNames(options);
  const calls = open.flatMap(({ id, name }) => (own.includes(name) ? [] : (id ?? [])));
  return { calls, drillIns: open.length - calls.length };
}
