import { randomUUID } from "node:crypto";

import { type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";

import type { Offloader } from "../../core/pipeline/offloader.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { type OffloadToolNode, offloadToolNode } from "./offload-tool-node.js";
import { checkedOptions, rule } from "../../util/option-rules.js";
import { type RunSite, runOf, sessionOfTool } from "./run/session.js";
import { answeredCalls } from "./aging/messages.js";
import { knownAmong } from "./tool/messages.js";
import { startCall, type ToolRun, turnOfCall } from "./run/tool-run.js";
import { offloadCommand, offloadMessage, offloadUpdates } from "./tool/tool-message.js";
import { isRecord } from "../../util/is-record.js";

const nodeFunction = rule(
  (given) => typeof given === "function",
  "a ToolNode or a function as the first argument",
);

/** A node function of a graph: takes state and config, returns an update of the state. */
export type NodeFunction = (...args: never[]) => unknown;

/** The same node, always asynchronous. */
export type OffloadedNode<Node extends NodeFunction> = (
  ...args: Parameters<Node>
) => Promise<Awaited<ReturnType<Node>>>;

/**
 * Wraps a graph node with offloading. For a `ToolNode` it returns what {@link offloadToolNode} returns. For a function
 * it returns a function that offloads large tool messages among the messages, updates or commands it returns. Messages
 * that the node received stay unchanged. Another node must then run the drill-in tools:
 * `offloadToolNode(createDrillInTools(offloader), { offloader })`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadNode(node: ToolNode, options?: GivenOffloader): OffloadToolNode;
export function offloadNode<Node extends NodeFunction>(
  node: Node,
  options?: GivenOffloader,
): OffloadedNode<Node>;
export function offloadNode(
  node: ToolNode | NodeFunction,
  options: GivenOffloader = {},
): OffloadToolNode | OffloadedNode<NodeFunction> {
  if (node instanceof ToolNode) return offloadToolNode(node, options);
  checkedOptions("offloadNode", nodeFunction, node);
  const { offloader } = givenOffloader("offloadNode", options);
  return async (...args: unknown[]) => {
    const result: unknown = await Reflect.apply(node, undefined, args);
    return await offloadNodeResult(offloader, result, args);
  };
}

async function offloadNodeResult(
  offloader: Offloader,
  result: unknown,
  [input, given]: readonly unknown[],
): Promise<unknown> {
  const before = messagesIn(input);
  const isKnown = knownAmong(before);
  // A node may have called a model, or an agent, itself.
  const made = [result].flat().flatMap((one) => messagesIn(isCommand(one) ? one.update : one));
  const calls = answeredCalls([...before, ...made]);
  const turnOfInput = turnOfCall(offloader, input);
  const run: RunSite = { ...runOf(given), state: input };
  const sessionId = sessionOfTool(run) ?? randomUUID();
  // Only new outputs are replaced, so that the beginning of the prompt stays the same.
  const callOf = (message: ToolMessage): ToolRun | undefined => {
    if (isKnown(message)) return undefined;
    const { tool_call_id: toolCallId, name = "tool" } = message;
    const { name: toolName = name, args, asking } = calls.get(message) ?? {};
    const turn = asking && !before.includes(asking) ? turnOfCall(offloader, [asking]) : turnOfInput;
    const site = { ...run, tool: undefined, toolCallId, toolName, args };
    return startCall(offloader, site, turn, sessionId);
  };
  const visit = async (value: unknown): Promise<unknown> => {
    if (ToolMessage.isInstance(value)) return await offloadMessage(value, callOf(value));
    if (isCommand(value)) return await offloadCommand(value, callOf);
    if (!isRecord(value) || isBaseMessage(value)) return value;
    const updates = Object.entries(value);
    const offloaded = await offloadUpdates(updates, callOf);
    // A copy would be no `Send`.
    return offloaded === updates ? value : Object.fromEntries(offloaded);
  };
  return Array.isArray(result) ? await Promise.all(result.map(visit)) : await visit(result);
}

/** Of all channels. */
function messagesIn(input: unknown): readonly BaseMessage[] {
  const isUpdate = isRecord(input) && !isBaseMessage(input);
  // The update of a command may be a list of channels with their values.
  return (isUpdate ? Object.values(input) : [input].flat(2)).flat().filter(isBaseMessage);
}
