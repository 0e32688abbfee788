import { randomUUID } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { ensureConfig } from "@langchain/core/runnables";
import { OffloadError } from "../errors.js";
import type { Offloader } from "../offload.js";
import { conversationSize } from "./conversation.js";
import { customStream } from "./custom-stream.js";
import { overridesOf } from "./run-overrides.js";
import { sessionOfTool } from "./session.js";
import { messagesOf } from "./state-messages.js";
import { type AnsweredCall, offloadToolResult } from "./tool-message.js";
import { artifactOf, contentOf, isFinished } from "./tool-value.js";

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
    async (input, config, ...rest) => {
      const original: unknown = Reflect.get(tool, method);
      if (typeof original !== "function") throw new TypeError(`${tool.name} has no ${method}.`);
      const result: unknown = await Reflect.apply(original, tool, [input, config, ...rest]);
      if (returnsDirect(tool)) return result;
      const call = answeredCall(tool, argsOf(input), config);
      if (isFinished(result)) return await offloadToolResult(offloader, result, call);
      const { onEvent, ...place } = call;
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
    async _call(args, runManager, config) {
      const returned: unknown = await Reflect.apply(original, tool, [args, runManager, config]);
      const walk = (value: unknown): Promise<unknown> =>
        returnsDirect(tool)
          ? Promise.resolve(value)
          : offloadReturned(tool, offloader, value, answeredCall(tool, args, config));
      return isGenerator(returned) ? relay(returned, walk) : await walk(returned);
    },
  };
}

/** What such a tool returns is the user's answer, not the model's input. */
function returnsDirect(tool: ToolLike): boolean {
  return Reflect.get(tool, "returnDirect") === true;
}

/** A call of a wrapped tool. */
interface ToolCallPlace extends AnsweredCall {
  readonly toolCallId: string | undefined;
}

/** Walks what `_call` gave, and returns what LangChain makes the same kind of message of. */
async function offloadReturned(
  tool: ToolLike,
  offloader: Offloader,
  returned: unknown,
  call: ToolCallPlace,
): Promise<unknown> {
  const isPair =
    Reflect.get(tool, "responseFormat") === "content_and_artifact" &&
    Array.isArray(returned) &&
    returned.length === 2;
  const [value, artifact]: readonly unknown[] = isPair ? returned : [returned];
  if (isFinished(value)) {
    const walked = await offloadToolResult(offloader, value, call);
    return isPair ? [walked, artifact] : walked;
  }
  const { onEvent, ...place } = call;
  const result = await offloader.offload({ ...place, value, artifact }, onEvent);
  if (result.outcome === "inline") return returned;
  const content = contentOf(result);
  if (isPair) return [content, artifactOf(result, artifact)];
  if (call.toolCallId === undefined) return content;
  const metadata: unknown = Reflect.get(tool, "metadata");
  return new ToolMessage({
    content,
    artifact: artifactOf(result, artifact),
    tool_call_id: call.toolCallId,
    name: tool.name,
    status: "success",
    ...(isRecord(metadata) && { metadata }),
  });
}

/** Passes on what a generator yields and walks what it returns. */
async function* relay(
  source: AsyncGenerator<unknown, unknown>,
  walk: (value: unknown) => Promise<unknown>,
): AsyncGenerator<unknown, unknown> {
  return await walk(yield* source);
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function answeredCall(tool: ToolLike, args: unknown, config: unknown): ToolCallPlace {
  const given = isRecord(config) ? config : {};
  const { configurable, context, toolCall, state } = given;
  // A tool that is called by another one without a config runs where that one does.
  const running = isRecord(configurable) ? { ...given, configurable } : ensureConfig();
  const id = isRecord(toolCall) ? toolCall["id"] : undefined;
  return {
    toolName: tool.name,
    toolCallId: typeof id === "string" ? id : undefined,
    args: isRecord(args) ? args : undefined,
    sessionId: sessionOfTool({ ...running, state }) ?? randomUUID(),
    conversation: conversationSize(messagesOf(state), undefined),
    overrides: overridesOf({ ...running, context }, tool),
    onEvent: customStream(running),
  };
}

/** Arguments as they are, or those of a whole tool call. */
function argsOf(input: unknown): unknown {
  const isToolCall =
    typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
  return isToolCall && "args" in input ? input.args : input;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
