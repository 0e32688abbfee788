import { randomUUID } from "node:crypto";

import type { MessageContent } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";
import { isReadHere } from "../../../content/stream/output-stream.js";
import { OffloadError } from "../../../errors.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import { conversationSize } from "../run/conversation.js";
import { customStream } from "../run/custom-stream.js";
import { metadataOf, overridesOf } from "../run/run-overrides.js";
import {
  callOf,
  configFor,
  isByHand,
  type RunningCall,
  startCall,
  withStored,
} from "../running-call.js";
import { sessionOfTool } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";
import { type AnsweredCall, offloadToolResult, walkedMessage } from "./tool-message.js";
import { artifactOf, contentOf, isFinished, isGenerator } from "./tool-value.js";
import { turnPlace } from "../run/turn.js";
import type { OffloadResult } from "../../../types.js";
import { isRecord } from "../../../util/is-record.js";

/** What a tool of LangChain has, of whichever class it is. */
export interface ToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

type Method = (...args: readonly unknown[]) => unknown;

/** `invoke` and `call` around those of a tool: what its callbacks hear is the original output. */
export function offloadOutside(
  tool: ToolLike,
  offloader: Offloader,
): Readonly<Record<"invoke" | "call", Method>> {
  const around =
    (method: "invoke" | "call"): Method =>
    async (input, raw, ...rest) => {
      // `call` takes callbacks in place of a config too.
      const given = method === "call" && isCallbacks(raw) ? { callbacks: raw } : raw;
      const reading = underOffloader(tool, offloader);
      const original: unknown = Reflect.get(reading, method);
      if (typeof original !== "function") throw new TypeError(`${tool.name} has no ${method}.`);
      const call = startedCall(offloader, tool, argsOf(input), given);
      const config = configFor(given, call.running);
      const result: unknown = await Reflect.apply(original, reading, [input, config, ...rest]);
      if (returnsDirect(tool)) return result;
      if (isFinished(result)) return await offloadToolResult(offloader, result, call);
      const { onEvent, running, ...place } = call;
      if (isByHand(result, running)) return result;
      const outcome = await offloader.offload({ ...place, value: result }, onEvent);
      return outcome.outcome === "inline" ? result : contentOf(outcome);
    };
  return { invoke: around("invoke"), call: around("call") };
}

/**
 * `_call` around that of a tool: all that LangChain hears of the output is the descriptor.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the tool has no `_call`.
 */
export function offloadInside(
  tool: ToolLike,
  offloader: Offloader,
): Readonly<Record<"_call", Method>> {
  const original: unknown = Reflect.get(tool, "_call");
  if (typeof original !== "function") {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `trace: "descriptor" needs a tool with LangChain's \`_call\`, which ${tool.name} has not. ` +
        'Make it with tool(), or use trace: "original".',
    );
  }
  return {
    async _call(args, runManager, given) {
      const call = startedCall(offloader, tool, args, given);
      const config = configFor(given, call.running);
      const returned: unknown = await Reflect.apply(original, tool, [args, runManager, config]);
      const walk = (value: unknown): Promise<unknown> =>
        returnsDirect(tool)
          ? Promise.resolve(value)
          : offloadReturned(tool, offloader, value, call);
      return isGenerator(returned) ? relay(returned, walk) : await walk(returned);
    },
  };
}

/**
 * The same tool, as it runs under an offloader: what it offloads by hand is noted, and its streams, bytes, maps and the
 * like are read, of which LangChain would write the inner state as JSON. All else that it returns is left as it is, and so is a tool
 * without `_call`.
 *
 * @param place - What is known of the call better than its config says.
 */
export function underOffloader<T extends object>(
  tool: T,
  offloader: Offloader,
  place: Partial<AnsweredCall> = {},
): T {
  const original: unknown = Reflect.get(tool, "_call");
  if (typeof original !== "function" || !isToolLike(tool)) return tool;
  const attended: T = Object.create(tool);
  const value: Method = async (args, runManager, given) => {
    const onEvent = customStream(given);
    const call = { ...answeredCall(offloader, tool, args, given), onEvent, ...place };
    const running = place.running ?? callOf(given) ?? startCall(offloader, call);
    const config = configFor(given, running);
    const returned: unknown = await Reflect.apply(original, tool, [args, runManager, config]);
    const walk = async (output: unknown): Promise<unknown> => {
      if (returnsDirect(tool) || !isReadHere(outputIn(tool, output)[0])) return output;
      return await offloadReturned(tool, offloader, output, { ...call, running });
    };
    return isGenerator(returned) ? relay(returned, walk) : await walk(returned);
  };
  Object.defineProperty(attended, "_call", { value });
  return attended;
}

function isToolLike(tool: object): tool is ToolLike {
  return typeof Reflect.get(tool, "name") === "string";
}

/** Content and artifact of what `_call` gave. */
function outputIn(tool: ToolLike, returned: unknown): readonly unknown[] {
  return Reflect.get(tool, "responseFormat") === "content_and_artifact" &&
    Array.isArray(returned) &&
    returned.length === 2
    ? returned
    : [returned];
}

/** What such a tool returns is the user's answer, not the model's input. */
function returnsDirect(tool: ToolLike): boolean {
  return Reflect.get(tool, "returnDirect") === true;
}

/** A list of handlers, or their manager. */
function isCallbacks(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && typeof value["copy"] === "function");
}

/** A call of a wrapped tool. */
interface ToolCallPlace extends AnsweredCall {
  readonly toolCallId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

type InlineResult = Extract<OffloadResult, { outcome: "inline" }>;

/** Walks what `_call` gave, and returns what LangChain makes the same kind of message of. */
async function offloadReturned(
  tool: ToolLike,
  offloader: Offloader,
  returned: unknown,
  call: ToolCallPlace,
): Promise<unknown> {
  const parts = outputIn(tool, returned);
  const isPair = parts.length === 2;
  const [value, artifact] = parts;
  if (isFinished(value)) {
    const walked = await offloadToolResult(offloader, value, call);
    return isPair ? [walked, artifact] : walked;
  }
  const { onEvent, running, ...output } = call;
  const result: OffloadResult = isByHand(value, running)
    ? { outcome: "inline", value }
    : await offloader.offload({ ...output, value, artifact }, onEvent);
  const isInline = result.outcome === "inline";
  const kept = isInline ? withStored(artifact, running) : artifactOf(result, artifact, running);
  const isSame = isInline && result.value === value;
  if (isSame && (kept === artifact || typeof value !== "string")) return returned;
  const content = isInline ? inlineContent(result) : contentOf(result);
  if (call.toolCallId === undefined) return isPair ? [content, kept] : content;
  const metadata: unknown = Reflect.get(tool, "metadata");
  const message = walkedMessage({
    content,
    artifact: kept,
    tool_call_id: call.toolCallId,
    name: tool.name,
    status: "success",
    ...(isRecord(metadata) && { metadata }),
  });
  return isPair ? [message, undefined] : message;
}

/** What a stream became that stays inline. */
function inlineContent({ value, text, keptBlocks = [] }: InlineResult): MessageContent {
  return contentOf({ text: text ?? String(value), keptBlocks });
}

/** Passes on what a generator yields and walks what it returns. */
async function* relay(
  source: AsyncGenerator<unknown, unknown>,
  walk: (value: unknown) => Promise<unknown>,
): AsyncGenerator<unknown, unknown> {
  return await walk(yield* source);
}

function startedCall(
  offloader: Offloader,
  tool: ToolLike,
  args: unknown,
  config: unknown,
): ToolCallPlace & { readonly running: RunningCall } {
  const call = answeredCall(offloader, tool, args, config);
  return { ...call, running: startCall(offloader, call) };
}

function answeredCall(
  offloader: Offloader,
  tool: ToolLike,
  args: unknown,
  config: unknown,
): ToolCallPlace {
  const given = isRecord(config) ? config : {};
  const { configurable, context, toolCall, state, signal } = given;
  // A tool that is called by another one without a config runs where that one does.
  const running = isRecord(configurable) ? { ...given, configurable } : ensureConfig();
  const id = isRecord(toolCall) ? toolCall["id"] : undefined;
  return {
    toolName: tool.name,
    toolCallId: typeof id === "string" ? id : undefined,
    args: isRecord(args) ? args : undefined,
    signal: signal instanceof AbortSignal ? signal : undefined,
    sessionId: sessionOfTool({ ...running, state }) ?? randomUUID(),
    ...turnPlace(offloader, messagesOf(state)),
    conversation: conversationSize(messagesOf(state), undefined),
    overrides: overridesOf({ ...running, context }, tool),
    metadata: metadataOf(tool),
    onEvent: customStream(running),
  };
}

/** Arguments as they are, or those of a whole tool call. */
function argsOf(input: unknown): unknown {
  const isToolCall =
    typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
  return isToolCall && "args" in input ? input.args : input;
}
