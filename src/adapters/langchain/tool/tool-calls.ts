import type { MessageContent } from "@langchain/core/messages";

import { isReadHere } from "../../../core/content/value/any-json.js";
import { OffloadError } from "../../../core/types/errors.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { OffloadResult } from "../../../core/types/result.js";
import { isRecord } from "../../../util/is-record.js";
import type { CallSite } from "../run/session.js";
import { conversationSize } from "../model-call/context.js";
import {
  callOf,
  configFor,
  isWalked,
  outputOf,
  startCall,
  type ToolRun,
  turnOfCall,
  withStored,
} from "../run/tool-run.js";
import { aroundCall, isCalledByLangChain, returnsDirect, type ToolLike } from "./around-call.js";
import {
  artifactOf,
  contentOf,
  inlineContent,
  isFinished,
  isGenerator,
  noteMedia,
  offloadToolResult,
  ownArtifact,
  walkedMessage,
} from "./tool-message.js";

/**
 * The same tool whose output is walked outside of it: what its callbacks hear is the original output.
 *
 * @param hooked - What stands between.
 */
export function offloadOutside<Tool extends ToolLike>(
  tool: Tool,
  offloader: Offloader,
  hooked: (tool: Tool) => Tool,
): Tool {
  const reading = hooked(readingStreams(tool, offloader));
  return aroundCall(reading, ["invoke", "call"], async ({ site, config, run }) => {
    const call = startToolCall(offloader, site);
    const result = await run({ config: configFor(config, call) });
    if (returnsDirect(tool) || isWalked(result, call)) return result;
    if (isFinished(result)) return await offloadToolResult(result, call);
    return await walkedValue(result, call);
  });
}

/** What the model reads of a value that a tool has returned; the value where it stays. */
async function walkedValue(value: unknown, call: ToolRun): Promise<unknown> {
  const walked = await call.offloader.offload(outputOf(call, { value }), call.onEvent);
  noteMedia(walked, call);
  const isSame = walked.outcome === "inline" && inlineContent(walked, value) === undefined;
  return isSame ? value : contentOfResult(walked);
}

/**
 * The same tool whose output is walked inside of it: all that LangChain hears of the output is the descriptor.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the tool has no `_call`, or an `invoke` or `call` of its own.
 */
export function offloadInside<Tool extends ToolLike>(tool: Tool, offloader: Offloader): Tool {
  if (typeof Reflect.get(tool, "_call") !== "function") {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `trace: "descriptor" needs a tool with LangChain's \`_call\`, which ${tool.name} has not. ` +
        'Make it with tool(), or use trace: "original".',
    );
  }
  if (!isCalledByLangChain(tool)) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `trace: "descriptor" needs a tool with LangChain's own \`invoke\` and \`call\`, and ${tool.name} has others. ` +
        'Use trace: "original".',
    );
  }
  return walkingInside(tool, offloader, () => true);
}

/**
 * The same tool, whose streams, bytes, maps and the like are read, of which LangChain would write the inner state as
 * JSON; and what it offloads by hand is noted. All else that it returns is left as it is, and so is a tool without `_call`.
 * Of one with an `invoke` or `call` of its own only what it offloads by hand is noted: that runs on the tool itself, where
 * nothing stands between it and `_call`.
 *
 * @param running - The call, where it is known better than the tool's config says.
 */
export function readingStreams<Tool extends object>(
  tool: Tool,
  offloader: Offloader,
  running?: ToolRun,
): Tool {
  if (typeof Reflect.get(tool, "_call") !== "function" || !isToolLike(tool)) return tool;
  if (isCalledByLangChain(tool)) return walkingInside(tool, offloader, isReadHere, running);
  return aroundCall(tool, ["invoke", "call"], async ({ site, config, run }) => {
    const begun = running ?? callOfTool(offloader, site, config);
    return await run({ config: configFor(config, begun) });
  });
}

function walkingInside<Tool extends ToolLike>(
  tool: Tool,
  offloader: Offloader,
  isToWalk: (value: unknown) => boolean,
  running?: ToolRun,
): Tool {
  return aroundCall(tool, ["_call"], async ({ site, config, run }) => {
    const begun = running ?? callOfTool(offloader, site, config);
    const { signal } = site;
    // The tool's own, which may have its time limit in it.
    const isKnown = signal === undefined || signal === begun.signal;
    const call = isKnown ? begun : { ...begun, signal };
    const returned = await run({ config: configFor(config, call) });
    const walk = async (output: unknown): Promise<unknown> =>
      returnsDirect(tool) || !isToWalk(partsOf(tool, output)[0])
        ? output
        : await walkReturned(tool, output, call);
    return isGenerator(returned) ? relay(returned, walk) : await walk(returned);
  });
}

/** The call that a node or a wrapper around this tool began, or a new one. */
export function callOfTool(offloader: Offloader, site: CallSite, config: unknown): ToolRun {
  const begun = callOf(config);
  const isOwn = begun?.offloader === offloader && begun.toolName === site.toolName;
  return isOwn ? begun : startToolCall(offloader, site);
}

function startToolCall(offloader: Offloader, site: CallSite): ToolRun {
  const conversation = conversationSize(site.state, undefined);
  return startCall(offloader, site, { ...turnOfCall(offloader, site.state), conversation });
}

function isToolLike(tool: object): tool is ToolLike {
  return typeof Reflect.get(tool, "name") === "string";
}

/** Content and artifact of what `_call` gave. */
function partsOf(tool: ToolLike, returned: unknown): readonly unknown[] {
  return Reflect.get(tool, "responseFormat") === "content_and_artifact" &&
    Array.isArray(returned) &&
    returned.length === 2
    ? returned
    : [returned];
}

/** Walks what `_call` gave, and returns what LangChain makes the same kind of message of. */
async function walkReturned(tool: ToolLike, returned: unknown, call: ToolRun): Promise<unknown> {
  const parts = partsOf(tool, returned);
  const isPair = parts.length === 2;
  const [value, artifact] = parts;
  if (isFinished(value)) {
    const walked = await offloadToolResult(value, call);
    return isPair ? [walked, artifact] : walked;
  }
  const { offloader, toolCallId, onEvent } = call;
  const result: OffloadResult = isWalked(value, call)
    ? { outcome: "inline", value }
    : await offloader.offload(outputOf(call, { value, artifact }), onEvent);
  noteMedia(result, call);
  const isInline = result.outcome === "inline";
  const kept = isInline
    ? withStored(ownArtifact(result, artifact), call)
    : artifactOf(result, artifact, call);
  const isSame = isInline && result.text === undefined && result.value === value;
  const isOwnKept = !("artifact" in result);
  if (isSame && (kept === artifact || (isOwnKept && typeof value !== "string"))) return returned;
  const content = contentOfResult(result);
  if (toolCallId === undefined) {
    call.walked.add(content);
    return isPair ? [content, kept] : content;
  }
  const metadata: unknown = Reflect.get(tool, "metadata");
  const message = walkedMessage({
    content,
    artifact: kept,
    tool_call_id: toolCallId,
    name: tool.name,
    status: "success",
    ...(isRecord(metadata) && { metadata }),
  });
  return isPair ? [message, undefined] : message;
}

/** What the model reads of a result; of what stays inline, a stream is a text by now. */
function contentOfResult(result: OffloadResult): MessageContent {
  if (result.outcome !== "inline") return contentOf(result);
  const { value } = result;
  return inlineContent(result, undefined) ?? String(value);
}

/** Passes on what a generator yields and walks what it returns. */
async function* relay(
  source: AsyncGenerator<unknown, unknown>,
  walk: (value: unknown) => Promise<unknown>,
): AsyncGenerator<unknown, unknown> {
  return await walk(yield* source);
}
