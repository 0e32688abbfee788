import { type ContentBlock, type MessageContent, ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";

import { isSmallValue } from "../../../core/content/value/any-json.js";
import type { OffloadResult } from "../../../core/types/result.js";
import { carriedOf } from "../run/carried.js";
import { type ToolRun, withStored } from "../run/tool-run.js";

/** Characters of a tool's own artifact that may stay in every checkpoint of a conversation. */
const MAX_ARTIFACT_CHARACTERS = 4_096;

/** An output that did not stay inline. */
export type OffloadedResult = Exclude<OffloadResult, { outcome: "inline" }>;

/** The content of the tool message: the text, and the images and files that stood beside it. */
export function contentOf({
  text,
  keptBlocks,
}: Pick<OffloadedResult, "text" | "keptBlocks">): MessageContent {
  if (keptBlocks.length === 0) return text;
  return [{ type: "text", text }, ...keptBlocks.filter(isBlock)];
}

/**
 * LangChain's own `artifact` of the tool message. The stored artifact takes the place of the tool's
 * own, which may be a copy of the whole output and would be checkpointed: a small one stays in it as
 * `toolArtifact`. An output that was only cut keeps it. With what the tool offloaded by hand it is a list.
 */
export function artifactOf(result: OffloadedResult, given: unknown, call: ToolRun): unknown {
  const toolArtifact = ownArtifact(result, given);
  if (result.outcome !== "offloaded") return withStored(toolArtifact, call);
  const stored = carriedOf(result.storedArtifact);
  const isSmall = isSmallValue(toolArtifact, MAX_ARTIFACT_CHARACTERS);
  const own = isSmall ? { ...stored, toolArtifact } : stored;
  return call.stored.length === 0 ? own : [own, ...call.stored];
}

/** The content of a result that stays inline; of blocks, some may be descriptors by now. `undefined` for what the tool gave. */
export function inlineContent(
  { text, value, keptBlocks = [] }: Extract<OffloadResult, { outcome: "inline" }>,
  given: unknown,
): MessageContent | undefined {
  if (text !== undefined) return contentOf({ text, keptBlocks });
  return Array.isArray(value) && value !== given ? value : undefined;
}

/** Notes what was stored beside the text, which a message carries as it does what its tool has stored by hand. */
export function noteMedia({ media = [] }: OffloadResult, { stored }: ToolRun): void {
  for (const one of media) {
    if (stored.every(({ id }) => id !== one.id)) stored.push(carriedOf(one));
  }
}

/** The artifact that a tool gave, or what `redact` has left of it. */
export function ownArtifact(result: OffloadResult, given: unknown): unknown {
  return "artifact" in result ? result.artifact : given;
}

/** What a tool may return that LangChain passes on instead of making a tool message of it. */
export function isFinished(value: unknown): value is ToolMessage | Command {
  try {
    return ToolMessage.isInstance(value) || isCommand(value);
  } catch {
    // A value that throws when it is looked at.
    return false;
  }
}

/**
 * Whether a tool returned a generator: LangChain passes on what it yields as the tool's events, and takes
 * what it returns for the output. Any other async iterable is a stream.
 */
export function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  if (typeof value !== "object" || value === null) return false;
  try {
    return typeof Reflect.get(value, "next") === "function";
  } catch {
    return false;
  }
}

/** Whatever stood beside the text stays, known or not; Google's blocks have no type. */
function isBlock(value: unknown): value is ContentBlock {
  return typeof value === "object" && value !== null;
}
