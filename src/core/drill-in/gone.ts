import { shorten } from "../../util/safe-text.js";
import type { StoredArtifact } from "../types/artifact.js";
import { escapeJson } from "./shown-text.js";

/** Longest repeated arguments of the tool call, in UTF-16 code units of their JSON. */
const MAX_ARGS_CHARACTERS = 500;
const MAX_NAME_CHARACTERS = 100;

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
  const shown = escapeJson(JSON.stringify(args));
  const again = `${fileName} ${why}. If that does no harm, call the tool ${shortName(toolName)} again with the same arguments`;
  return shown.length <= MAX_ARGS_CHARACTERS ? `${again}: ${shown}` : `${again} as before.`;
}

export function lostSentence(
  { name, toolName }: { readonly name: string; readonly toolName: string },
  why: string,
): string {
  const from = `a call of ${shortName(toolName)} in this conversation`;
  return `${name} ${why}. It was part of ${from}, and is kept nowhere else now.`;
}

function shortName(toolName: string): string {
  return escapeJson(JSON.stringify(shorten(toolName, MAX_NAME_CHARACTERS)).slice(1, -1));
}
