import { randomUUID } from "node:crypto";

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";

import type { Offloader } from "../../core/pipeline/offloader.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import {
  type OffloadToolNode,
  offloadToolNode,
  type OffloadToolNodeOptions,
} from "./offload-tool-node.js";
import { fieldOf } from "../../util/field-of.js";
import { checkedOptions, rule } from "../../util/option-rules.js";
import { type CallSite, messagesOf, type RunSite, sessionOfTool } from "./run/session.js";
import { knownAmong, toolMessagesIn, updatesOf } from "./tool/messages.js";
import { startCall, type ToolRun, turnOfNode } from "./run/tool-run.js";
import { offloadToolResult, offloadUpdate } from "./tool/tool-message.js";

const nodeFunction = rule(
  (given) => typeof given === "function",
  "a ToolNode or a function as the first argument",
);

/** A node function of a graph: state and config in, an update of the state out. */
export type NodeFunction = (...args: never[]) => unknown;

/** The same node, always asynchronous. */
export type OffloadedNode<Node extends NodeFunction> = (
  ...args: Parameters<Node>
) => Promise<Awaited<ReturnType<Node>>>;

/**
 * Puts offloading around a node of a graph. A `ToolNode` gives what {@link offloadToolNode} gives.
 * A function gives a function: large tool messages among the messages, updates or commands that it
 * returns are offloaded, while those that it was handed are left as they are. Another node has to
 * run the drill-in tools then: `offloadToolNode(createDrillInTools(offloader), { offloader })`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadNode(node: ToolNode, options?: OffloadToolNodeOptions): OffloadToolNode;
export function offloadNode<Node extends NodeFunction>(
  node: Node,
  options?: GivenOffloader,
): OffloadedNode<Node>;
export function offloadNode(
  node: ToolNode | NodeFunction,
  options: OffloadToolNodeOptions = {},
): OffloadToolNode | OffloadedNode<NodeFunction> {
  if (node instanceof ToolNode) return offloadToolNode(node, options);
  checkedOptions("offloadNode", nodeFunction, node);
  const offloader = givenOffloader(options, { factory: "offloadNode" });
  return async (...args: unknown[]) => {
    const result: unknown = await Reflect.apply(node, undefined, args);
    return await offloadNodeResult(offloader, result, args);
  };
}

async function offloadNodeResult(
  offloader: Offloader,
  result: unknown,
  [input, config]: readonly unknown[],
): Promise<unknown> {
  const messages = messagesOf(input);
  const isKnown = knownAmong(messages);
  const run: RunSite = {
    configurable: configurableOf(config),
    context: isUpdate(config) ? config["context"] : undefined,
    state: input,
    writer: fieldOf(config, "writer"),
  };
  const sessionId = sessionOfTool(run) ?? randomUUID();
  // An output is replaced when it is born, never later: that keeps the prompt's beginning as it was.
  const born = messagesIn(result).filter((message) => !isKnown(message));
  const inTurn = turnOfNode(offloader, messages, born);
  const callOf = (message: ToolMessage): ToolRun | undefined => {
    if (isKnown(message)) return undefined;
    const site: CallSite = { ...run, ...callAnsweredBy(message, messages) };
    const turn = inTurn(message);
    return startCall(offloader, site, { ...turn, sessionId, conversation: undefined });
  };
  const walk = async (value: unknown): Promise<unknown> => {
    if (ToolMessage.isInstance(value) || isCommand(value)) {
      return await offloadToolResult(value, callOf);
    }
    if (!isUpdate(value)) return value;
    const channels = await Promise.all(
      Object.entries(value).map(
        async ([name, update]) => [name, await offloadUpdate(update, callOf, name)] as const,
      ),
    );
    return Object.fromEntries(channels);
  };
  return Array.isArray(result)
    ? await Promise.all(result.map((item) => walk(item)))
    : await walk(result);
}

/** The tool messages that a node returned, wherever they are in its update. */
function messagesIn(result: unknown): ToolMessage[] {
  const items: readonly unknown[] = Array.isArray(result) ? result : [result];
  return items.flatMap((item): readonly ToolMessage[] => {
    if (ToolMessage.isInstance(item)) return [item];
    const updates = isCommand(item) ? updatesOf(item) : isUpdate(item) ? Object.entries(item) : [];
    return updates.flatMap(([channel, update]) => toolMessagesIn(update, channel));
  });
}

/** The tool call among the given messages that a tool message answers. */
function callAnsweredBy(
  { name, tool_call_id: id }: ToolMessage,
  messages: Iterable<BaseMessage>,
): Omit<CallSite, keyof RunSite> {
  const answered = { tool: undefined, toolCallId: id };
  for (const message of messages) {
    const call = AIMessage.isInstance(message)
      ? message.tool_calls?.find((candidate) => candidate.id === id)
      : undefined;
    if (call !== undefined) return { ...answered, toolName: call.name, args: call.args };
  }
  return { ...answered, toolName: name ?? "tool", args: undefined };
}

function configurableOf(config: unknown): Readonly<Record<string, unknown>> | undefined {
  const configurable: unknown =
    typeof config === "object" && config !== null && "configurable" in config
      ? config.configurable
      : undefined;
  return isUpdate(configurable) ? configurable : undefined;
}

function isUpdate(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
