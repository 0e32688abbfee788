import type { StoredArtifact } from "../../types/artifact.js";

/** Longest repeated arguments of the tool call, in UTF-16 code units of their JSON. */
const MAX_ARGS_CHARACTERS = 500;
/** Of one text in arguments that are shortened. */
const MAX_TEXT_CHARACTERS = 60;
/** Of one list or object, then. */
const MAX_ENTRIES = 8;
const MAX_DEPTH = 3;
const MAX_NAME_CHARACTERS = 100;

/** What a reader cannot see, of which JSON escapes only the first part: controls, marks of direction, separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * What became of an artifact that is not there any more, and the call that made it, so that the model can make it
 * again where that does no harm.
 *
 * @param why - Such as `was deleted`.
 */
export function goneSentence(
  {
    fileName,
    toolName,
    args = {},
    wasInline,
  }: Pick<StoredArtifact, "fileName" | "toolName" | "args" | "wasInline">,
  why: string,
): string {
  // It left the context long after its call: what that did may be done.
  if (wasInline === true) return lostSentence({ name: fileName, toolName }, why);
  const name = nameSeen(toolName);
  const whole = seen(JSON.stringify(args));
  const again = `${fileName} ${why}. If that does no harm, call the tool ${name} again with the same arguments`;
  if (whole.length <= MAX_ARGS_CHARACTERS) return `${again}: ${whole}`;
  const brief = seen(JSON.stringify(briefOf(args, 0)));
  return brief.length <= MAX_ARGS_CHARACTERS
    ? `${again}, here shortened: ${brief}`
    : `${again} as before: ${Object.keys(args).length} of them, too long to repeat here`;
}

/** What became of something that stood in the conversation itself, where nothing tells how to have it again. */
export function lostSentence(
  { name, toolName }: { readonly name: string; readonly toolName: string },
  why: string,
): string {
  const from = `a call of ${nameSeen(toolName)} in this conversation`;
  return `${name} ${why}. It was part of ${from}, and is kept nowhere else now.`;
}

/** What the time of an artifact being over is told as. */
export function expiredWhy({ expiresAt }: Pick<StoredArtifact, "expiresAt">): string {
  return `expired at ${new Date(expiresAt).toISOString()}`;
}

/** The same value with its long texts and lists cut. */
function briefOf(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shortened(value, MAX_TEXT_CHARACTERS);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => briefOf(item, depth + 1));
    return value.length > MAX_ENTRIES ? [...items, "…"] : items;
  }
  const entries = Object.entries(value)
    .slice(0, MAX_ENTRIES)
    .map(([key, item]) => [shortened(key, MAX_TEXT_CHARACTERS), briefOf(item, depth + 1)] as const);
  const more = Object.keys(value).length > MAX_ENTRIES ? [["…", "…"] as const] : [];
  return Object.fromEntries([...entries, ...more]);
}

function shortened(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
}

function nameSeen(toolName: string): string {
  return seen(shortened(toolName, MAX_NAME_CHARACTERS));
}

function seen(text: string): string {
  return text.replaceAll(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
