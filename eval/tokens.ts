import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

import { countTokens } from "../src/core/measure/encoding-counter.js";
import { ENCODINGS } from "../src/core/measure/encoding/encoding.js";
import type { Encoding } from "../src/core/measure/encoding/rank-index.js";

/** A part of what a model is sent: the tools and the system message, or one message. */
export interface RequestPart {
  /** Equal parts have equal texts. */
  readonly texts: readonly string[];
  readonly tokens: number;
}

/** Counts what goes to a model and what comes from it, in tokens of o200k_base. */
export interface TokenCounter {
  readonly count: (text: string) => number;
  /** The parts of a model call: tools with the system message first, then each message. */
  readonly partsOf: (
    tools: readonly unknown[],
    system: string,
    messages: readonly BaseMessage[],
  ) => readonly RequestPart[];
  /** Tokens of a model's message: its text, and the names and arguments of its tool calls. */
  readonly ofReply: (message: BaseMessage) => number;
}

/** Texts of which the count is remembered; a set of records comes again for each question about it. */
const MAX_REMEMBERED = 4_000;

/**
 * Makes a counter. Every text is counted in full, however long. A provider adds a few tokens for each message and has
 * its own form for tools; those are not here.
 */
export async function createTokenCounter(): Promise<TokenCounter> {
  const encoding = await loaded();
  const counts = new Map<string, number>();
  const definitions = new WeakMap<object, string>();

  const count = (text: string): number => {
    const known = counts.get(text);
    if (known !== undefined) return known;
    const { tokens } = countTokens(encoding, text);
    if (counts.size >= MAX_REMEMBERED) counts.clear();
    counts.set(text, tokens);
    return tokens;
  };
  const definitionOf = (given: unknown): string => {
    if (typeof given !== "object" || given === null) return JSON.stringify(given);
    const known = definitions.get(given) ?? toolDefinition(given);
    definitions.set(given, known);
    return known;
  };
  const part = (texts: readonly string[]): RequestPart => ({
    texts,
    tokens: texts.reduce((sum, text) => sum + count(text), 0),
  });
  return {
    count,
    partsOf: (tools, system, messages) => [
      part([...tools.map(definitionOf), system]),
      ...messages.map((message) => part(textsOf(message))),
    ],
    ofReply: (message) => part(textsOf(message)).tokens,
  };
}

/** Tokens of the parts at the beginning that are the same in both, which a provider can take from its cache. */
export function sharedPrefix(
  parts: readonly RequestPart[],
  before: readonly RequestPart[],
): number {
  let tokens = 0;
  for (const [index, part] of parts.entries()) {
    const other = before[index];
    if (other === undefined || !sameTexts(part.texts, other.texts)) break;
    tokens += part.tokens;
  }
  return tokens;
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function textsOf(message: BaseMessage): string[] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return [message.text, ...calls.map(({ name, args }) => JSON.stringify({ name, args }))];
}

/** A tool as JSON; what a provider defines itself is an object already. */
function toolDefinition(given: object): string {
  const isOwn = "schema" in given && "invoke" in given;
  return JSON.stringify(
    isOwn ? convertToOpenAITool(given as Parameters<typeof convertToOpenAITool>[0]) : given,
  );
}

async function loaded(): Promise<Encoding> {
  const encoding = await ENCODINGS.o200k_base();
  if (encoding === undefined) throw new Error("js-tiktoken's table o200k_base cannot be loaded.");
  return encoding;
}
