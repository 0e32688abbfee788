import type { AIMessage } from "@langchain/core/messages";

import { MAX_STUB_TOKENS } from "../../../../aging/stub.js";
import { isRecord } from "../../../../util/is-record.js";
import { tokensOfBytes } from "../messages/tokens-of-bytes.js";
import { agedArgumentsOf } from "./aged-arguments.js";
import { withArguments } from "./with-arguments.js";

/** Parameters whose values may leave, by the tool's name. */
export type AgingParameters = ReadonlyMap<string, readonly string[]>;

/** A value that may leave. */
export interface LongArgument {
  readonly callId: string;
  readonly toolName: string;
  readonly parameter: string;
  readonly value: string;
  readonly tokens: number;
}

/** Values of fewer tokens stay. */
const LEAST_ARGUMENT_TOKENS = 400;

const found = new WeakMap<AgingParameters, WeakMap<AIMessage, readonly LongArgument[]>>();

/** The values of a model's calls that may leave; none where the message cannot be shown without them. */
export function longArguments(
  message: AIMessage,
  parameters: AgingParameters,
): readonly LongArgument[] {
  if (parameters.size === 0 || message.id === undefined) return [];
  const ofThese = found.get(parameters) ?? new WeakMap<AIMessage, readonly LongArgument[]>();
  found.set(parameters, ofThese);
  const known = ofThese.get(message);
  if (known !== undefined) return known;
  const long = agedArgumentsOf(message).length > 0 ? [] : longIn(message, parameters);
  const isMovable =
    long.length > 0 &&
    withArguments(
      message,
      long.map((one) => ({ ...one, stub: "[aged]" })),
    ) !== undefined;
  const movable = isMovable ? long : [];
  ofThese.set(message, movable);
  return movable;
}

/** Tokens that a message is smaller by when they have left. */
export function savedByArguments(long: readonly LongArgument[]): number {
  return long.reduce((sum, { tokens }) => sum + tokens - MAX_STUB_TOKENS, 0);
}

function longIn({ tool_calls = [] }: AIMessage, parameters: AgingParameters): LongArgument[] {
  return tool_calls.flatMap(({ id: callId, name: toolName, args }) => {
    // A mark tells calls apart by their ids.
    if (!callId || tool_calls.filter(({ id }) => id === callId).length > 1) return [];
    return (parameters.get(toolName) ?? []).flatMap((parameter) => {
      const value: unknown = isRecord(args) ? args[parameter] : undefined;
      if (typeof value !== "string") return [];
      const tokens = tokensOfBytes(Buffer.byteLength(value));
      return tokens < LEAST_ARGUMENT_TOKENS ? [] : [{ callId, toolName, parameter, value, tokens }];
    });
  });
}
