import { createHash, randomBytes } from "node:crypto";
import { encodeTime, TIME_LEN } from "ulid";
import { extensionOfType } from "../content/media/media-type.js";
import type { ContentKind, Layout } from "../types/content.js";
import { OffloadError } from "../types/errors.js";
import { atOnce } from "../../util/at-once.js";
import { checkedOptions } from "../../util/option-rules.js";
import { textRule } from "../../util/text-rule.js";

/** A ULID in upper case: 26 characters of Crockford's alphabet, the first one 0 to 7. */
export const ARTIFACT_ID_PATTERN: RegExp = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const FILE_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/;
/** The first digit keeps an id within 128 bits. A leading dot marks a record. */
const ID_IN_NAME =
  /^(?:(?!\.)[\w.~ -]*[-_.~ ])?([0-7][0-9A-HJKMNP-TV-Z]{25})(?:\.[A-Za-z0-9]{1,10}){0,2}$/i;
const HAS_PARENT = /(?:^|[/\\])(?:\.|%2e){2}(?:[/\\]|$)/i;
const MAX_OPERATION_CHARACTERS = 48;
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const RANDOM_CHARACTERS = 16;
/** In UTF-16 code units. */
export const MAX_REFERENCE_CHARACTERS: number = 4096;

const MEMORY_TOOLS = /^(recall|list|search)_memories$|^(inject)_context$/;

/**
 * A ULID with 80 random bits, so that ids cannot be guessed.
 *
 * @param nowMs - Unix milliseconds, 0 to 2^48 - 1; readable from the id.
 * @throws Error when `nowMs` is out of that range.
 */
export function newArtifactId(nowMs: number): string {
  const random = Array.from(randomBytes(RANDOM_CHARACTERS), (byte) => CROCKFORD[byte % 32]);
  return encodeTime(Math.trunc(nowMs), TIME_LEN) + random.join("");
}

/**
 * `recall`, `search`, `inject` and `list` for the memory tools of the LRO specification, otherwise the tool's name in
 * lower case, with `-` for other characters than `a-z`, `0-9`, `_` and `-`, at most 48 characters.
 */
export function operationOf(toolName: string): string {
  const safe = toolName
    .replace(MEMORY_TOOLS, "$1$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+/, "");
  let end = Math.min(safe.length, MAX_OPERATION_CHARACTERS);
  while (safe[end - 1] === "-") end -= 1;
  return end === 0 ? "tool" : safe.slice(0, end);
}

/** Letters, digits, `.`, `_` and `-`, at most 200 characters, no leading dot, with the id before the extension. */
export function isArtifactFileName(fileName: string, id: string): boolean {
  return FILE_NAME_PATTERN.test(fileName) && idInName(fileName) === id;
}

function idInName(name: string): string | undefined {
  return ID_IN_NAME.exec(name)?.[1]?.toUpperCase();
}

/**
 * Accepts an id in any case, a file name or a path, possibly quoted or with `file://`. `undefined` for `..` in a
 * path, or more than a name with an id at its end.
 */
export function artifactIdIn(reference: string): string | undefined {
  if (reference.length > MAX_REFERENCE_CHARACTERS || reference.includes("\0")) return undefined;
  const path = reference
    .trim()
    .replace(/^(['"`])([^]*)\1$/, "$2")
    .trim();
  return HAS_PARENT.test(path) ? undefined : idInName(path.split(/[/\\]/).at(-1) ?? "");
}

let last = { sessionId: "", sessionKey: "" };

/**
 * Hashes a session id into a session key: SHA-256 in hex, over UTF-8. UTF-8 has no lone surrogates, so an id with one
 * is hashed as UTF-16 after two bytes that never occur in UTF-8. Different sessions never share a key.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for a session id that is not a string.
 */
export function sessionKeyOf(sessionId: string): string {
  if (typeof sessionId !== "string")
    throw new OffloadError("INVALID_ARGUMENTS", "A session id is a string.");
  if (last.sessionKey === "" || last.sessionId !== sessionId) {
    const isWhole = sessionId.isWellFormed();
    const bytes = isWhole ? sessionId : Buffer.from(`\uffff${sessionId}`, "utf16le");
    last = { sessionId, sessionKey: createHash("sha256").update(bytes).digest("hex") };
  }
  return last.sessionKey;
}

function extensionOf({ layout, kind, mediaType }: NameParts): string {
  if (mediaType !== undefined && kind === "binary") return extensionOfType(mediaType);
  if (layout === "records") return ".jsonl";
  if (layout === "document") return ".json";
  return EXTENSIONS[kind] ?? ".txt";
}

const EXTENSIONS: Readonly<Partial<Record<ContentKind, string>>> = {
  csv: ".csv",
  tsv: ".tsv",
  log: ".log",
  binary: ".bin",
  markdown: ".md",
  xml: ".xml",
  html: ".html",
  yaml: ".yaml",
  diff: ".diff",
};

export interface NameParts {
  readonly id: string;
  readonly toolName: string;
  readonly operation: string;
  readonly layout: Layout;
  readonly kind: ContentKind;
  /** Media type of an image, sound, document or other file. */
  readonly mediaType?: string | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/**
 * Names the file of an artifact. The name must end with the id before its extension, which keeps names unique and
 * unguessable and lets the store recognize its files. If a rule fails or returns an invalid name, the usual name is
 * used and a warning is printed.
 */
export type NameRule = (parts: NameParts) => string;

const MAX_TOOL_CHARACTERS = 64;

const PREFIX_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const prefixRule = textRule(PREFIX_PATTERN, "1 to 64 letters, digits, _ and -, with no - in front");

/**
 * `{prefix}-{operation}-{id}` with the extension. The LRO specification uses the prefix `atlatl`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the prefix has other characters.
 */
export function prefixName(prefix: string): NameRule {
  checkedOptions("prefixName", prefixRule, prefix);
  return (parts) => `${prefix}-${operationOf(parts.operation)}-${parts.id}${extensionOf(parts)}`;
}

const usualName = prefixName("atlatl");

/** The rule, and the usual name where it throws or gives a name that is not allowed. Never throws. */
export function namedOrUsual(rule: NameRule, onFault: (error: unknown) => void): NameRule {
  return (parts) => {
    try {
      const name: unknown = atOnce("fileName", rule(parts));
      if (typeof name === "string" && isArtifactFileName(name, parts.id)) return name;
      throw new TypeError(
        "`fileName` must give letters, digits, ., _ and - only, and end with the id and an extension.",
      );
    } catch (error) {
      onFault(error);
      return usualName(parts);
    }
  };
}

/**
 * `tool_YYYYMMDD_HHMMSS_toolname_{id}` in UTC, with the extension of the kind.
 *
 * @source mcpagent, Context Offloading, How It Works; the id is appended.
 */
export const datedToolName: NameRule = (parts) => {
  const time = new Date(parts.createdAt).toISOString().replaceAll(/[-:]/g, "");
  const stamp = time.slice(0, 15).replace("T", "_");
  const safe = parts.toolName.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, MAX_TOOL_CHARACTERS);
  const toolName = /[A-Za-z0-9]/.test(safe) ? safe : "tool";
  return `tool_${stamp}_${toolName}_${parts.id}${extensionOf(parts)}`;
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
