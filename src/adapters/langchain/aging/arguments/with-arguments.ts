import type { AIMessage } from "@langchain/core/messages";

import { isRecord } from "../../../../util/is-record.js";
import { argumentOf } from "./argument-of.js";
import { isSigned } from "./signed.js";
import { withFields } from "./with-fields.js";

/** A value to be replaced in a message. */
interface Replacement {
  readonly callId: string;
  readonly parameter: string;
  readonly stub: string;
}

/** So much of a value is looked for in what a message has beside the known places, in UTF-16 units. */
const PROBE_CHARACTERS = 100;

/**
 * The message with other values in its calls, in all places where providers keep arguments: `tool_calls`, content blocks, the raw
 * calls of the chat completions API and the raw output of the responses API. `undefined` where one of them cannot be
 * changed, the value stands anywhere else, or a signature vouches for the message.
 */
export function withArguments(
  message: AIMessage,
  replacements: readonly Replacement[],
): AIMessage | undefined {
  if (isSigned(message)) return undefined;
  const changed = (callId: unknown, args: unknown): unknown => {
    const own = replacements.filter((one) => one.callId === callId);
    if (own.length === 0) return args;
    if (!isRecord(args)) throw new TypeError(NOT_UNDERSTOOD);
    return { ...args, ...Object.fromEntries(own.map(({ parameter, stub }) => [parameter, stub])) };
  };
  const changedJson = (callId: unknown, json: unknown): unknown => {
    if (!replacements.some((one) => one.callId === callId)) return json;
    if (typeof json !== "string") throw new TypeError(NOT_UNDERSTOOD);
    const args: unknown = JSON.parse(json);
    return JSON.stringify(changed(callId, args));
  };
  try {
    const fields = {
      tool_calls: listOf(message.tool_calls, (call) => ({
        ...call,
        args: changed(call["id"], call["args"]),
      })),
      content: listOf(message.content, (block) => changedBlock(block, changed)),
      additional_kwargs: inList(message.additional_kwargs, "tool_calls", (call) => ({
        ...call,
        function: inJson(call["function"], (json) => changedJson(call["id"], json)),
      })),
      response_metadata: inList(message.response_metadata, "output", (item) =>
        item["type"] === "function_call"
          ? { ...item, arguments: changedJson(item["call_id"], item["arguments"]) }
          : item,
      ),
    };
    const copy = withFields(message, fields);
    return replacements.some((one) => isLeft(message, copy, one)) ? undefined : copy;
  } catch {
    return undefined;
  }
}

const NOT_UNDERSTOOD = "What has the arguments of a call is in a form that is not known here.";

type Fields = Readonly<Record<string, unknown>>;

function changedBlock(block: Fields, changed: (callId: unknown, args: unknown) => unknown): Fields {
  // Pieces of JSON belong to the block before them.
  if (block["type"] === "input_json_delta") throw new TypeError(NOT_UNDERSTOOD);
  if (block["type"] === "tool_use") {
    return { ...block, input: changed(block["id"], block["input"]) };
  }
  if (block["type"] === "tool_call") {
    return { ...block, args: changed(block["id"], block["args"]) };
  }
  return block;
}

function listOf(value: unknown, change: (item: Fields) => unknown): unknown {
  return Array.isArray(value)
    ? value.map((item: unknown) => (isRecord(item) ? change(item) : item))
    : value;
}

function inList(fields: Fields, key: string, change: (item: Fields) => unknown): Fields {
  return Array.isArray(fields[key]) ? { ...fields, [key]: listOf(fields[key], change) } : fields;
}

function inJson(value: unknown, change: (json: unknown) => unknown): unknown {
  return isRecord(value) ? { ...value, arguments: change(value["arguments"]) } : value;
}

/** Whether a value is still somewhere in the copy, such as in a place that this version does not know. */
function isLeft(message: AIMessage, copy: AIMessage, replacement: Replacement): boolean {
  const value = argumentOf(message, replacement);
  if (value === undefined) return true;
  if (value === replacement.stub) return false;
  const fields = Object.entries(copy).filter(([name]) => name !== "lc_kwargs");
  const rest = JSON.stringify(fields);
  const once = JSON.stringify(value).slice(1, 1 + PROBE_CHARACTERS);
  const twice = JSON.stringify(once).slice(1, 1 + PROBE_CHARACTERS);
  return rest.includes(once) || rest.includes(twice);
}
