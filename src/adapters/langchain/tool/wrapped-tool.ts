import { parseCallbackConfigArg } from "@langchain/core/callbacks/manager";
import type { MessageContent } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  DynamicStructuredTool,
  DynamicTool,
  StructuredTool,
  Tool as TextTool,
} from "@langchain/core/tools";

import { isReadHere, jsonOf } from "../../../core/content/value/any-json.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { copyWith } from "../../../util/copy-with.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord, type JsonObject } from "../../../util/is-record.js";
import { type CallSite, siteOfTool } from "../run/session.js";
import { callOf, configFor, startCall, type ToolRun } from "../run/tool-run.js";
import {
  isFinished,
  isGenerator,
  offloadToolResult,
  offloadedMessage,
  offloadOutput,
} from "./tool-message.js";
import { throwingShort } from "./tool-errors.js";
import { recordOf } from "../../../util/as-kind.js";

export interface ToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: unknown;
  invoke(input: never, config?: never): Promise<unknown>;
}

export function isToolLike<Tool>(tool: Tool): tool is Tool & ToolLike {
  return typeof fieldOf(tool, "name") === "string" && typeof fieldOf(tool, "invoke") === "function";
}

export interface PassingCall {
  readonly site: CallSite;
  readonly config: unknown;
  readonly run: (config: unknown, args?: unknown) => Promise<unknown>;
}

export function aroundInvoke<Tool extends ToolLike>(
  tool: Tool,
  around: (call: PassingCall) => Promise<unknown>,
  properties: JsonObject = {},
): Tool {
  const invoke = async (input: unknown, given: unknown): Promise<unknown> => {
    const call = isRecord(input) && input["type"] === "tool_call" ? input : undefined;
    const site = siteOfTool(tool, call === undefined ? input : call["args"], given);
    const { id = site.toolCallId } = call ?? {};
    return await around({
      site: typeof id === "string" ? { ...site, toolCallId: id } : site,
      config: given,
      run: async (config, args = site.args) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it came, but for the arguments
        const changed = [call === undefined ? args : { ...call, args }, config] as [never, never];
        return await tool.invoke(...changed);
      },
    });
  };
  // LangChain's older `call` takes callbacks in place of a config.
  const call = async (input: unknown, given?: RunnableConfig): Promise<unknown> =>
    await invoke(input, parseCallbackConfigArg(given));
  return copyWith(tool, { invoke, call, ...properties });
}

const CLASSES: readonly { readonly prototype: object }[] = [
  StructuredTool,
  TextTool,
  DynamicTool,
  DynamicStructuredTool,
];

/** A tool whose `_call` LangChain's own methods call. */
interface CalledByLangChain extends ToolLike {
  _call(args: unknown, manager: unknown, config: unknown): Promise<unknown>;
}

export function isCalledByLangChain(tool: object): tool is CalledByLangChain {
  return (
    typeof Reflect.get(tool, "_call") === "function" &&
    ["invoke", "call"].every((method) =>
      CLASSES.some(({ prototype }) => Reflect.get(tool, method) === Reflect.get(prototype, method)),
    )
  );
}

/** Offloads streams before LangChain and its callbacks see them; with `isInside` all that the tool returns or throws. */
export function readingStreams<Tool extends object>(
  tool: Tool,
  offloader: Offloader,
  isInside = false,
): Tool {
  if (!isCalledByLangChain(tool)) return tool;
  const called = async (args: unknown, manager: unknown, config: unknown): Promise<unknown> => {
    const site = siteOfTool(tool, args, config);
    const around = callOf(config);
    const isOwn = around?.offloader === offloader && around.output.toolName === site.toolName;
    // The call that an outer node or wrapper began, or a new one.
    const begun = isOwn ? around : startCall(offloader, site);
    const { signal = begun.output.signal } = site;
    const call = { ...begun, output: { ...begun.output, signal } };
    const take = async (output: unknown): Promise<unknown> => {
      const parts = partsOf(tool, output);
      return isInside || isReadHere(parts[0]) ? await offloadReturned(tool, parts, call) : output;
    };
    const thrown = isInside ? throwingShort(call) : undefined;
    const run = async (): Promise<unknown> => {
      const returned = await tool._call(args, manager, configFor(config, call));
      return isGenerator(returned) ? relay(returned, take, thrown) : await take(returned);
    };
    return await run().catch(thrown);
  };
  return copyWith(tool, { _call: called });
}

function partsOf(tool: object, returned: unknown): readonly unknown[] {
  return Reflect.get(tool, "responseFormat") === "content_and_artifact" &&
    Array.isArray(returned) &&
    returned.length === 2
    ? returned
    : [returned];
}

/** @param parts - What the tool returned; two of them are its content and artifact. */
export async function offloadReturned(
  tool: ToolLike,
  parts: readonly unknown[],
  call: ToolRun,
): Promise<unknown> {
  const isPair = parts.length === 2;
  const [value, artifact] = parts;
  if (isFinished(value)) {
    const offloaded = await offloadToolResult(value, call);
    return isPair ? [offloaded, artifact] : offloaded;
  }
  const { toolCallId } = call.output;
  const shown = await offloadOutput({ ...call.output, value, artifact }, call);
  const { artifact: beside, isInline, said } = shown;
  if (shown.content === undefined && beside === artifact && !said) return isPair ? parts : value;
  const {
    content = typeof value === "string" || Array.isArray(value) ? value : (jsonOf(value) ?? ""),
  } = shown;
  if (toolCallId === undefined) {
    const own = isInline ? shown.left : content;
    call.offloaded.add(own);
    return isPair ? [own, beside] : own;
  }
  const metadata = recordOf(fieldOf(tool, "metadata"));
  const message = offloadedMessage({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a text, or the blocks that the tool gave
    content: content as MessageContent,
    artifact: beside,
    tool_call_id: toolCallId,
    name: tool.name,
    status: "success",
    ...(said && { response_metadata: said }),
    ...(metadata && { metadata }),
  });
  return isPair ? [message, undefined] : message;
}

async function* relay(
  source: AsyncGenerator<unknown, unknown>,
  take: (output: unknown) => Promise<unknown>,
  thrown?: (error: unknown) => Promise<never>,
): AsyncGenerator<unknown, unknown> {
  try {
    return await take(yield* source);
  } catch (error) {
    await thrown?.(error);
    throw error;
  }
}
