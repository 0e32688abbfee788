import { unwrapOutput } from "../../core/content/unwrap.js";
import { scopeOf } from "../../core/store/naming.js";
import type { ToolOutput } from "../../core/types/output.js";
import type { OffloadResult } from "../../core/types/result.js";
import type { StayedEntry } from "./entry.js";
import { argumentsText, shortName, type TakeText } from "./event-entry.js";
import { shortJson } from "./short-json.js";

type Inline = Extract<OffloadResult, { outcome: "inline" }>;

/** What is written of an output that stays. */
export function stayedEntry(
  { toolName, toolCallId, args, sessionId }: ToolOutput,
  { value, text: shown, keptBlocks: shownBlocks }: Inline,
  take: TakeText | undefined,
): Omit<StayedEntry, "v" | "at"> {
  const unwrapped = unwrappedText(value);
  const text = shown ?? unwrapped.text;
  const written =
    text === undefined ? undefined : take?.({ text, toolName, part: "output", isRaw: true });
  const ofCall = args && take && argumentsText(args, toolName, take, true);
  return {
    type: "stayed-inline",
    session: scopeOf(sessionId),
    toolName: shortName(toolName),
    ...(toolCallId !== undefined && { toolCallId: shortName(toolCallId) }),
    kind: kindOf(text),
    sizeBytes: Buffer.byteLength(text ?? ""),
    keptBlocks: (shownBlocks ?? unwrapped.keptBlocks).length,
    ...(written && { text: written }),
    ...(ofCall && { arguments: ofCall }),
  };
}

/** The text of a value without the work that a large one would be. */
function unwrappedText(value: unknown): ReturnType<typeof unwrapOutput> {
  if (typeof value === "string") return { text: value, keptBlocks: [] };
  return Array.isArray(value)
    ? unwrapOutput({ value })
    : { text: shortJson(value), keptBlocks: [] };
}

function kindOf(text: string | undefined): StayedEntry["kind"] {
  if (text === undefined) return "none";
  const ends = `${text.slice(0, 64).trimStart().slice(0, 1)}${text.slice(-64).trimEnd().slice(-1)}`;
  return ends === "{}" || ends === "[]" ? "json" : "text";
}
