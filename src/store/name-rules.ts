import type { ContentKind, Layout } from "../types.js";
import { artifactFileName, extensionOf } from "./naming.js";

/** What a file name can be made of. */
export interface NameParts {
  readonly id: string;
  readonly toolName: string;
  readonly operation: string;
  readonly layout: Layout;
  readonly kind: ContentKind;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Names the file of an artifact. The name ends with the id before its extension: two outputs of one
 * second stay apart, nobody guesses a name, and a store knows its own files beyond doubt.
 */
export type NameRule = (parts: NameParts) => string;

const MAX_TOOL_CHARACTERS = 64;

/** The tool's name with `-` for all that is no letter, digit, `_` or `-`. */
function safeToolName(toolName: string): string {
  const safe = toolName.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_TOOL_CHARACTERS);
  return /[A-Za-z0-9]/.test(safe) ? safe : "tool";
}

/** `{prefix}-{operation}-{id}` with the extension; the LRO specification's with the prefix `atlatl`. */
export function prefixName(prefix: string): NameRule {
  return (parts) => artifactFileName({ ...parts, prefix });
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
