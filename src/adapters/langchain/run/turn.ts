import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";

import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { ownToolNames } from "../../../core/options/tools.js";
import type { TurnSeat } from "../../../core/types/output.js";
import type { CallSite } from "./call-site.js";
import { turnOf } from "../model-call/conversation.js";
import type { TurnOfCall } from "./tool-run.js";
import { listIn, messagesOf } from "./state-messages.js";

/**
 * A tool call's turn, and how many calls of it share the budget: those that are not answered yet, but for the
 * drill-ins, whose answers are bounded by themselves.
 */
export function turnOfCall(
  offloader: Offloader,
  state: unknown,
): Pick<TurnOfCall, "turn" | "turnCalls"> {
  const { calls } = openCalls(offloader, state);
  return { turn: turnOf(listIn(state)), turnCalls: calls.length > 0 ? calls.length : undefined };
}

/**
 * Runs a call with its place in its turn, and a seat among the others: what it returns is handed over when they
 * have met. A call that throws keeps its share, because it may run again.
 */
export function inTurn<Result>(
  offloader: Offloader,
  site: CallSite,
  run: (turn: TurnOfCall) => Promise<Result>,
): Promise<Result> {
  const turn = joinTurn(offloader, site);
  return turn.seat === undefined ? run(turn) : seated(turn.seat, run(turn));
}

async function seated<Result>(seat: TurnSeat, running: Promise<Result>): Promise<Result> {
  try {
    const result = await running;
    seat.end(true);
    return result;
  } finally {
    seat.end(false);
  }
}

/**
 * Without a seat a call has its equal share, as where fewer calls run at a time than there are: they would wait
 * for those that wait for them.
 */
function joinTurn(
  offloader: Offloader,
  { state, toolCallId: callId, signal }: CallSite,
): TurnOfCall {
  const { calls, asking } = openCalls(offloader, state);
  const turn = turnOf(listIn(state));
  const position = calls.indexOf(callId ?? "");
  if (asking === undefined || callId === undefined || position === -1) return { turn };
  const { maxConcurrency = Infinity } = ensureConfig();
  const place = { callId, position, calls: calls.length, signal };
  // The message is the same object for all calls of a run, and another one for any other run.
  const seat =
    maxConcurrency < calls.length ? undefined : internals(offloader).turns.join(asking, place);
  return { turn, turnCalls: calls.length, seat };
}

/**
 * The places of the outputs that a node returned together. They share the parts of their calls; a message
 * beyond those that the model asked for makes all parts smaller.
 */
export function turnOfNode(
  offloader: Offloader,
  messages: readonly BaseMessage[],
  born: readonly ToolMessage[],
): (message: ToolMessage) => TurnOfCall {
  if (offloader.options.turnBudget === undefined) return () => ({});
  const { calls } = openCalls(offloader, messages);
  const outputs = born.filter(({ status }) => status !== "error");
  const turnCalls = Math.max(1, calls.length, outputs.length);
  return (message) => {
    const position = outputs.indexOf(message);
    const place = {
      callId: String(position),
      position,
      calls: turnCalls,
      expected: outputs.length,
    };
    const seat = position === -1 ? undefined : internals(offloader).turns.join(outputs, place);
    return { turn: turnOf(messages), turnCalls, seat };
  };
}

/** Ids of the calls that share a budget, and the message that asked for them; none without a budget. */
function openCalls(
  offloader: Offloader,
  state: unknown,
): { readonly asking?: AIMessage | undefined; readonly calls: readonly string[] } {
  if (offloader.options.turnBudget === undefined) return { calls: [] };
  const { asking, calls } = unansweredCalls(messagesOf(state));
  const own = ownToolNames(offloader.options);
  return { asking, calls: calls.flatMap(({ id, name }) => (own.includes(name) ? [] : [id])) };
}

/** How many drill-ins of the turn have no answer yet: they share what the context window has left. */
export function openDrillIns(offloader: Offloader, messages: readonly BaseMessage[]): number {
  const own = ownToolNames(offloader.options);
  return unansweredCalls(messages).calls.filter(({ name }) => own.includes(name)).length;
}

/** The calls of the model's last message that have no answer yet. */
function unansweredCalls(messages: readonly BaseMessage[]): {
  readonly asking: AIMessage | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
} {
  const last = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const asking = messages[last];
  if (!AIMessage.isInstance(asking)) return { asking: undefined, calls: [] };
  const answered = messages
    .slice(last + 1)
    .map((message) => (ToolMessage.isInstance(message) ? message.tool_call_id : undefined));
  const calls = (asking.tool_calls ?? []).flatMap(({ id, name }) =>
    id === undefined || answered.includes(id) ? [] : [{ id, name }],
  );
  return { asking, calls };
}
