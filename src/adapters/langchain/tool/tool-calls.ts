import type { MessageContent } from "@langchain/core/messages";

import { isReadHere } from "../../../core/content/value/any-json.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import { isRecord } from "../../../util/is-record.js";
import { callOf, configFor, startCall, type ToolRun } from "../run/tool-run.js";
import { aroundCall, isCalledByLangChain, returnsDirect, type ToolLike } from "./around-call.js";
import {
  isFinished,
  isGenerator,
  offloadToolResult,
  walkedMessage,
  walkOutput,
} from "./tool-message.js";

export function readingStreams<Tool extends object>(tool: Tool, offloader: Offloader): Tool {
  return isCalledByLangChain(tool) ? walkingInside(tool, offloader, isReadHere) : tool;
}

export function walkingInside<Tool extends ToolLike>(
  tool: Tool,
  offloader: Offloader,
  isToWalk: (value: unknown) => boolean,
): Tool {
  return aroundCall(tool, ["_call"], async ({ site, config, run }) => {
    const around = callOf(config);
    const isOwn = around?.offloader === offloader && around.output.toolName === site.toolName;
    // The call that a node or a wrapper around this tool began, or a new one.
    const begun = isOwn ? around : startCall(offloader, site);
    const { signal = begun.output.signal } = site;
    const call = { ...begun, output: { ...begun.output, signal } };
    const returned = await run({ config: configFor(config, call) });
    const walk = async (output: unknown): Promise<unknown> =>
      returnsDirect(tool) || !isToWalk(partsOf(tool, output)[0])
        ? output
        : await walkReturned(tool, output, call);
    return await afterCall(returned, walk);
  });
}

export function partsOf(tool: object, returned: unknown): readonly unknown[] {
  return Reflect.get(tool, "responseFormat") === "content_and_artifact" &&
    Array.isArray(returned) &&
    returned.length === 2
    ? returned
    : [returned];
}

async function walkReturned(tool: ToolLike, returned: unknown, call: ToolRun): Promise<unknown> {
  const parts = partsOf(tool, returned);
  const isPair = parts.length === 2;
  const [value, artifact] = parts;
  if (isFinished(value)) {
    const walked = await offloadToolResult(value, call);
    return isPair ? [walked, artifact] : walked;
  }
  const { toolCallId } = call.output;
  const walked = await walkOutput({ ...call.output, value, artifact }, call);
  const isText = typeof value === "string" || Array.isArray(value);
  // LangChain makes a text of an object, which has no place for what was stored by hand.
  if (walked.content === undefined && (walked.artifact === artifact || !isText)) return returned;
  const { content = value } = walked;
  if (toolCallId === undefined) {
    call.walked.add(content);
    return isPair ? [content, walked.artifact] : content;
  }
  const metadata: unknown = Reflect.get(tool, "metadata");
  const message = walkedMessage({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a text, or the blocks that the tool gave
    content: content as MessageContent,
    artifact: walked.artifact,
    tool_call_id: toolCallId,
    name: tool.name,
    status: "success",
    ...(isRecord(metadata) && { metadata }),
  });
  return isPair ? [message, undefined] : message;
}

export async function afterCall(
  returned: unknown,
  take: (output: unknown) => Promise<unknown>,
): Promise<unknown> {
  return isGenerator(returned) ? relay(returned, take) : await take(returned);
}

async function* relay(
  source: AsyncGenerator<unknown, unknown>,
  take: (output: unknown) => Promise<unknown>,
): AsyncGenerator<unknown, unknown> {
  return await take(yield* source);
}
