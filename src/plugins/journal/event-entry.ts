import { errorName } from "../../core/types/errors.js";
import type { EventDetail, OffloadEvent } from "../../core/types/events.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { shorten } from "../../util/safe-text.js";
import type { EventEntry, JournalArtifact, JournalEntry, JournalText } from "./entry.js";
import { shortJson } from "./short-json.js";
import { type RawText, WITHHELD } from "./texts.js";

/** An entry without what every entry has. */
export type Draft<Entry> = Entry extends JournalEntry ? Omit<Entry, "v" | "at"> : never;

/** Takes a text into an entry; `undefined` where none are written. */
export type TakeText = (raw: RawText) => JournalText | undefined;

const MAX_NAME_CHARACTERS = 300;
const MAX_ELEMENTS = 100;
const MAX_DEPTH = 3;
/** What is written otherwise, or not at all. */
const NOT_AS_IT_IS = new Set(["storedArtifact", "error", "scope"]);

/** An event without its time, as it is written: whatever it holds, at a bounded size. */
export function eventEntry(
  event: OffloadEvent,
  { descriptor, toolCallId, args, answerBytes, lines }: EventDetail,
  take: TakeText,
): Draft<EventEntry> {
  const artifact = "storedArtifact" in event ? event.storedArtifact : undefined;
  const scope = "scope" in event ? event.scope : artifact?.scope;
  const toolName = artifact?.toolName ?? ("tool" in event ? event.tool : "");
  // One object that grows: an entry costs half of what it does when parts are spread into it.
  const entry: Record<string, unknown> = {};
  if (scope !== undefined) entry["session"] = shortName(scope);
  for (const [name, member] of Object.entries(event)) {
    if (!NOT_AS_IT_IS.has(name)) entry[name] = plain(member, 1);
  }
  if (artifact) entry["artifact"] = artifactEntry(artifact, take);
  if ("error" in event) entry["errorName"] = shortName(errorName(event.error));
  if (descriptor !== undefined) {
    entry["descriptor"] = take({ text: descriptor, toolName, part: "descriptor" });
  }
  if (toolCallId !== undefined) entry["toolCallId"] = shortName(toolCallId);
  if (args !== undefined) entry["arguments"] = argumentsText(args, toolName, take, true);
  if (answerBytes !== undefined) entry["answerBytes"] = answerBytes;
  const written = lines
    ?.slice(0, MAX_ELEMENTS)
    .flatMap((text) => take({ text, toolName, part: "descriptor" }) ?? []);
  if (written !== undefined && written.length > 0) entry["lines"] = written;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event's own members under the names of its type
  return entry as unknown as Draft<EventEntry>;
}

/** The arguments of a call, as JSON. */
export function argumentsText(
  args: unknown,
  toolName: string,
  take: TakeText,
  isRaw?: true,
): JournalText | undefined {
  const text = shortJson(args);
  // Asked for all the same: where no texts are written, there is nothing to withhold.
  const taken = take({ text: text ?? "", toolName, part: "arguments", ...(isRaw && { isRaw }) });
  return text === undefined && taken !== undefined ? WITHHELD : taken;
}

/** A name that may be anybody's, as far as it is written. */
export function shortName(name: string): string {
  return shorten(name, MAX_NAME_CHARACTERS);
}

function artifactEntry(artifact: StoredArtifact, take: TakeText): JournalArtifact {
  const { id, kind, layout, sizeBytes, lineCount, recordCount, tokens, tokensExact } = artifact;
  const { toolName, createdAt, expiresAt, wasInline, derivedFrom, title, args } = artifact;
  const entry: { -readonly [Name in keyof JournalArtifact]: JournalArtifact[Name] } = {
    id,
    fileName: shortName(artifact.fileName),
    kind,
    layout,
    toolName: shortName(toolName),
    sizeBytes,
    lineCount,
    tokens,
    tokensExact,
    createdAt,
    expiresAt,
  };
  if (recordCount !== undefined) entry.recordCount = recordCount;
  if (wasInline) entry.wasInline = wasInline;
  if (derivedFrom) entry.derivedFrom = derivedFrom.slice(0, MAX_ELEMENTS);
  const written = title === undefined ? undefined : take({ text: title, toolName, part: "title" });
  if (written) entry.title = written;
  const asked = args && argumentsText(args, toolName, take);
  if (asked) entry.arguments = asked;
  return entry;
}

function plainMembers(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, plain(member, depth + 1)]),
  );
}

/** Names, numbers and truth values, and lists and objects of them. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shortName(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null || depth === MAX_DEPTH) return undefined;
  return Array.isArray(value)
    ? value.slice(0, MAX_ELEMENTS).map((element) => plain(element, depth + 1))
    : plainMembers(value, depth);
}
