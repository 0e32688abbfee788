import { atOnce } from "../../util/at-once.js";
import { checkedOptions, rule } from "../../util/option-rules.js";
import type { ContentKind, Layout } from "../types/content.js";
import { warnOnce } from "../../util/warn-once.js";
import { artifactFileName, extensionOf, isArtifactFileName } from "./naming.js";

/** What a file name can be made of. */
export interface NameParts {
  readonly id: string;
  readonly toolName: string;
  readonly operation: string;
  readonly layout: Layout;
  readonly kind: ContentKind;
  /** Of an image, a sound, a document or another file. */
  readonly mediaType?: string | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Names the file of an artifact. The name ends with the id before its extension: two outputs of one
 * second stay apart, nobody guesses a name, a store knows its own files beyond doubt, and a name leads to its output. A rule that fails, or
 * gives another name, is passed over for the usual one, with a warning.
 */
export type NameRule = (parts: NameParts) => string;

const MAX_TOOL_CHARACTERS = 64;

/** The tool's name with `-` for all that is no letter, digit, `_` or `-`. */
function safeToolName(toolName: string): string {
  const safe = toolName.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_TOOL_CHARACTERS);
  return /[A-Za-z0-9]/.test(safe) ? safe : "tool";
}

const PREFIX_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const prefixRule = rule(
  (value) => typeof value === "string" && PREFIX_PATTERN.test(value),
  "1 to 64 letters, digits, _ and -, with no - in front",
);

/**
 * `{prefix}-{operation}-{id}` with the extension; the LRO specification's with the prefix `atlatl`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the prefix has other characters.
 */
export function prefixName(prefix: string): NameRule {
  checkedOptions("prefixName", prefixRule, prefix);
  return (parts) => artifactFileName({ ...parts, prefix });
}

const usualName = prefixName("atlatl");

/** The name that a rule gives; the usual one where it fails, or gives what no store can take. */
export function nameBy(rule: NameRule, parts: NameParts): string {
  try {
    const name: unknown = atOnce("fileName", rule(parts));
    if (typeof name === "string" && isArtifactFileName(name, parts.id)) return name;
    warnOnce(
      "fileName gave no name of letters, digits, ., _ and - that ends with the id and an extension. The usual name stands in.",
    );
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message}` : ".";
    warnOnce(`fileName failed${reason} The usual name stands in.`);
  }
  return usualName(parts);
}

/**
 * `tool_YYYYMMDD_HHMMSS_toolname_{id}` in UTC, with the extension of the kind.
 *
 * @source mcpagent, Context Offloading, How It Works; the id is appended.
 */
export const datedToolName: NameRule = (parts) => {
  const time = new Date(parts.createdAt).toISOString().replaceAll(/[-:]/g, "");
  const stamp = time.slice(0, 15).replace("T", "_");
  return `tool_${stamp}_${safeToolName(parts.toolName)}_${parts.id}${extensionOf(parts)}`;
};

/**
 * `art_tool_output_{id}` with the extension of the kind.
 *
 * @source Vectara, Tool-output offloading, What the agent sees.
 */
export const artifactName: NameRule = (parts) => `art_tool_output_${parts.id}${extensionOf(parts)}`;

/**
 * `meta-cc-mcp-{unix seconds}-{id}` with the extension of the kind.
 *
 * @source meta-cc ADR-004, Temporary File Management; the id is appended.
 */
export const temporaryFileName: NameRule = (parts) =>
  `meta-cc-mcp-${Math.floor(parts.createdAt / 1000)}-${parts.id}${extensionOf(parts)}`;
