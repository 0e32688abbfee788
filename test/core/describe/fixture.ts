import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import {
  type OutlineElsewhere,
  outlineOf,
} from "../../../src/core/describe/outlines/outline-of.js";
import { outlineLines } from "../../../src/core/describe/outlines/outline.js";
import { outlineDocument } from "../../../src/core/engines/jq/markup/outline-document.js";
import { detailOf } from "../../../src/core/describe/recipes/memory.js";
import { profileContent, type ContentProfile } from "../../../src/core/profile/profile-document.js";
import { recipesFor } from "../../../src/core/describe/recipes/recipes.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { type Content, type ContentKind, setsOf } from "../../../src/core/types/content.js";
import type { DrillInToolNames } from "../../../src/core/types/result.js";

const tokenizer = new Tiktoken(o200k);

export const ULID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
export const ALL_TOOLS: DrillInToolNames = {
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
  extract: "lro_extract",
};

/** Counts of whole outputs: tests describe the same ones in many forms. */
const outputTokens = new Map<string, number>();

export function countTokens(text: string): number {
  return tokenizer.encode(text, [], []).length;
}

function countOutputTokens(text: string): number {
  const tokens = outputTokens.get(text) ?? countTokens(text);
  outputTokens.set(text, tokens);
  return tokens;
}

function contentOf(layout: Content["layout"], kind: ContentKind, text: string): Content {
  return {
    kind,
    layout,
    body: new TextEncoder().encode(text),
    lineCount: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    records: undefined,
  };
}

export function recordsContent(
  records: readonly string[],
  around: { readonly path?: readonly string[]; readonly envelope?: string } = {},
): Content {
  const { path = [], envelope } = around;
  return {
    ...contentOf("records", "json-array", records.map((record) => `${record}\n`).join("")),
    records: { count: records.length, path, envelope, at: (index) => records[index] ?? "null" },
  };
}

export function valuesContent(
  values: readonly unknown[],
  around: { readonly path?: readonly string[]; readonly envelope?: string } = {},
): Content {
  return recordsContent(
    values.map((value) => JSON.stringify(value)),
    around,
  );
}

/** A table whose rows hold no line ends. */
export function rowsContent(text: string, kind: "csv" | "tsv" = "csv"): Content {
  const rows = text.split("\n").slice(1);
  return {
    ...contentOf("rows", kind, text),
    records: {
      count: rows.length,
      path: [],
      envelope: undefined,
      at: (index) => rows[index] ?? "",
    },
  };
}

export function textContent(text: string, kind: ContentKind = "text"): Content {
  return contentOf(kind === "json-document" ? "document" : "text", kind, text);
}

export interface Stored {
  readonly content: Content;
  readonly profile: ContentProfile | undefined;
  readonly storedArtifact: StoredArtifact;
}

/** What the pipeline hands to `describeArtifact`. */
export async function store(
  content: Content,
  options: {
    readonly operation?: string;
    readonly directory?: string;
    readonly tokens?: number;
    readonly args?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<Stored> {
  const { operation = "search_issues", directory = "/tmp", args } = options;
  const profile = content.records && (await profileContent(content));
  const detail = detailOf({ operation, args, profile });
  const header = content.layout === "records" ? '{"type":"lro_header"}\n' : "";
  const fileName = `atlatl-${operation}-${ULID}.jsonl`;
  const body = new TextDecoder().decode(content.body);
  return {
    content,
    profile,
    storedArtifact: {
      id: ULID,
      fileName,
      filePath: `${directory}/${fileName}`,
      kind: content.kind,
      layout: content.layout,
      toolName: operation,
      operation,
      args,
      detail,
      sizeBytes: header.length + content.body.length,
      headerBytes: header.length,
      lineCount: content.lineCount + (header === "" ? 0 : 1),
      recordCount: setsOf(content)[0]?.count,
      tokens: options.tokens ?? countOutputTokens(body),
      tokensExact: true,
      recipes: profile === undefined ? [] : recipesFor(content, profile, detail),
      fields: profile?.fields.map(({ name }) => name) ?? [],
      createdAt: 0,
      expiresAt: 3_600_000,
      sessionKey: "0".repeat(64),
    },
  };
}

/** What the worker does, in this thread. */
const here: OutlineElsewhere = async (document) => {
  try {
    return outlineDocument(document);
  } catch {
    return undefined;
  }
};

/** The lines of an outline with room for everything, facts first. */
export async function linesOf(
  kind: ContentKind,
  text: string | readonly string[],
  maxCharacters = 100_000,
  elsewhere: OutlineElsewhere = here,
): Promise<string[]> {
  const content = textContent(typeof text === "string" ? text : `${text.join("\n")}\n`, kind);
  const outline = await outlineOf(content, content.body.length, elsewhere);
  return outline === undefined ? [] : outlineLines(outline, maxCharacters);
}
