import { recordOf, stringOf } from "../../util/as-kind.js";
import type { JsonObject } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import type { DetailLevel, Recipe } from "../types/artifact.js";
import {
  type Content,
  documentSets,
  type Measurement,
  oneSet,
  type RecordSet,
} from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import type { NewArtifact } from "./artifact-store.js";
import { ARTIFACT_ID_PATTERN, type NameRule, newArtifactId } from "./naming.js";

interface NewArtifactInput {
  readonly output: ToolOutput;
  readonly sessionKey: string;
  readonly id?: string | undefined;
  readonly content: Content;
  readonly bodyBytes: number;
  readonly bodySha256: string | undefined;
  readonly measurement: Measurement;
  readonly operation: string;
  readonly detail?: DetailLevel;
  readonly header?: boolean;
  readonly fileName: NameRule;
  readonly schemaVersion?: string;
  readonly recipes?: readonly Recipe[];
  readonly fields?: readonly string[];
  readonly nowMs: number;
  readonly ttlMs: number;
}

// In UTF-16 code units or entries.
const MAX_FIELDS = 200;
const MAX_FIELD_CHARACTERS = 200;
const MAX_ARGS_CHARACTERS = 16_384;
const MAX_TAGS_CHARACTERS = 1024;
const MAX_ORIGINS = 32;
const MAX_TITLE_CHARACTERS = 200;

export function newArtifact(input: NewArtifactInput): {
  readonly artifact: NewArtifact;
  readonly header: Uint8Array;
} {
  const { output, sessionKey, content, measurement, operation, detail = "full", nowMs } = input;
  const known = (output.derivedFrom ?? []).filter((one) => ARTIFACT_ID_PATTERN.test(one));
  const derivedFrom = [...new Set(known)].slice(0, MAX_ORIGINS);
  const { kind, layout, literalQuotes, media } = content;
  const records = oneSet(content);
  const sets = documentSets(content);
  const hasHeader = records !== undefined && input.header;
  const header = hasHeader ? encodeHeader(input, records) : new Uint8Array(0);
  const id = input.id ?? newArtifactId(nowMs);
  const artifact: NewArtifact = {
    id,
    fileName: input.fileName({
      id,
      toolName: output.toolName,
      operation,
      layout,
      kind,
      mediaType: media?.type,
      createdAt: nowMs,
    }),
    kind,
    layout,
    literalQuotes,
    media,
    toolName: output.toolName,
    operation,
    args: keptArgs(output.args),
    title: output.title && keptTitle(output.title),
    detail,
    sizeBytes: header.length + input.bodyBytes,
    headerBytes: header.length,
    bodySha256: input.bodySha256,
    lineCount: content.lineCount + (hasHeader ? 1 : 0),
    recordCount: sets ? sets.reduce((sum, { count }) => sum + count, 0) : records?.count,
    sets: sets?.map(({ path, count, isMap, table, lines }) => ({
      path,
      count,
      isMap,
      table,
      lines,
    })),
    tokens: measurement.tokens,
    tokensExact: measurement.exact,
    recipes: input.recipes ?? [],
    fields: (input.fields ?? [])
      .filter((field) => field.length <= MAX_FIELD_CHARACTERS)
      .slice(0, MAX_FIELDS),
    createdAt: nowMs,
    expiresAt: nowMs + input.ttlMs,
    sessionKey,
    derivedFrom: derivedFrom.length > 0 ? derivedFrom : undefined,
    tags: keptTags(output.tags),
  };
  return { artifact, header };
}

export function keptTitle(title: string): string {
  const start = title.slice(0, 4 * MAX_TITLE_CHARACTERS);
  return shorten(start.replaceAll(/\s+/g, " ").trim(), MAX_TITLE_CHARACTERS);
}

export function keptTags(tags: ToolOutput["tags"]): ToolOutput["tags"] {
  const copy = plainCopy(tags, MAX_TAGS_CHARACTERS);
  const texts = Object.entries(copy ?? {}).flatMap(([name, text]) =>
    typeof text === "string" ? [[name, text] as const] : [],
  );
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

/** `undefined` if they are too long, or no plain data. */
export function keptArgs(args: ToolOutput["args"]): ReturnType<typeof plainCopy> {
  return plainCopy(args, MAX_ARGS_CHARACTERS);
}

function plainCopy(
  given: JsonObject | undefined,
  maxCharacters: number,
): Record<string, unknown> | undefined {
  try {
    const text = JSON.stringify(given);
    if (text.length > maxCharacters) return undefined;
    // Untyped callers may pass anything.
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The LRO specification's header line, with the extra keys `records_path` and `envelope`. */
function encodeHeader(input: NewArtifactInput, { path, count, envelope }: RecordSet): Uint8Array {
  const header = JSON.stringify({
    type: "lro_header",
    operation: input.operation,
    query: stringOf(input.output.args?.["query"]) ?? null,
    count,
    schema_version: input.schemaVersion ?? "none",
    timestamp: new Date(input.nowMs).toISOString(),
    estimated_tokens: input.measurement.tokens,
    detail: input.detail ?? "full",
    ...(path.length > 0 && { records_path: path }),
  });
  // One line, whatever white space the envelope has.
  const envelopePart =
    envelope === undefined ? "" : `,"envelope":${envelope.replaceAll(/[\n\r]/g, "")}`;
  return new TextEncoder().encode(`${header.slice(0, -1)}${envelopePart}}\n`);
}
