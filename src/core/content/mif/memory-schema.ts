import * as z from "zod";
import type { DetailLevel } from "../../types/artifact.js";

const text = z.string().nullish();
const list = z.array(z.unknown()).nullish();
const map = z.record(z.string(), z.unknown()).nullish();
const share = z.number().min(0).max(1).nullish();

type MemoryType = "semantic" | "episodic" | "procedural";

/**
 * A memory of the level `light`: what names and sorts it. Its `content` is there and empty, or absent.
 * Fields beyond those of the level are let through, and any field but `id` may be absent or `null`.
 */
export interface LightMemory {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly memory_type?: MemoryType | null | undefined;
  readonly title?: string | null | undefined;
  readonly namespace?: string | null | undefined;
  readonly tags?: string[] | null | undefined;
  readonly status?: string | null | undefined;
  /** ISO 8601. */
  readonly created?: string | null | undefined;
  /** ISO 8601. */
  readonly modified?: string | null | undefined;
  readonly content?: string | null | undefined;
}

export interface MediumMemory extends LightMemory {
  readonly summary?: string | null | undefined;
  /** From 0 to 1. */
  readonly confidence?: number | null | undefined;
}

interface MemoryProvenance {
  readonly [field: string]: unknown;
  /** From 0 to 1. */
  readonly confidence?: number | null | undefined;
  readonly trust_level?: string | null | undefined;
  readonly source_type?: string | null | undefined;
  readonly agent?: string | null | undefined;
}

interface MemoryTemporal {
  readonly [field: string]: unknown;
  readonly decay?: Record<string, unknown> | null | undefined;
  /** ISO 8601 duration. */
  readonly ttl?: string | null | undefined;
  readonly valid_from?: string | null | undefined;
  readonly valid_until?: string | null | undefined;
}

export interface FullMemory extends LightMemory {
  readonly summary?: string | null | undefined;
  readonly entities?: unknown[] | null | undefined;
  readonly relationships?: unknown[] | null | undefined;
  readonly wiki_links?: unknown[] | null | undefined;
  readonly embedding?: unknown;
  readonly provenance?: MemoryProvenance | null | undefined;
  readonly temporal?: MemoryTemporal | null | undefined;
  readonly extensions?: Record<string, unknown> | null | undefined;
  readonly blocks?: Record<string, unknown> | null | undefined;
  readonly citations?: unknown[] | null | undefined;
}

const light = z.looseObject({
  id: z.string().min(1),
  memory_type: z.enum(["semantic", "episodic", "procedural"]).nullish(),
  title: text,
  namespace: text,
  tags: z.array(z.string()).nullish(),
  status: text,
  created: text,
  modified: text,
  content: text,
});

const medium = light.extend({ summary: text, confidence: share });

const full = light.extend({
  summary: text,
  entities: list,
  relationships: list,
  wiki_links: list,
  embedding: z.unknown().optional(),
  provenance: z
    .looseObject({ confidence: share, trust_level: text, source_type: text, agent: text })
    .nullish(),
  temporal: z.looseObject({ decay: map, ttl: text, valid_from: text, valid_until: text }).nullish(),
  extensions: map,
  blocks: map,
  citations: list,
});

/**
 * Schemas of one memory line at each detail level, in the snake_case shape that the LRO specification
 * writes (which is not MIF's JSON-LD: see `toJsonLd`). Unknown fields pass.
 *
 * @source LRO specification, Memory Lines; the fields of each level follow from its recipes.
 */
export const MEMORY_SCHEMAS: {
  readonly light: z.ZodType<LightMemory>;
  readonly medium: z.ZodType<MediumMemory>;
  readonly full: z.ZodType<FullMemory>;
} & Readonly<Record<DetailLevel, z.ZodType<LightMemory>>> = { light, medium, full };

export function isMemory(value: unknown): value is LightMemory {
  const checked = light.safeParse(value);
  if (!checked.success) return false;
  const { title, content, memory_type: type, namespace } = checked.data;
  return (
    (typeof title === "string" || typeof content === "string") &&
    (typeof type === "string" || typeof namespace === "string")
  );
}

/** Memories of one set that are looked at: the first ones. */
const MAX_LOOKED_AT = 16;

/**
 * The whole result set of a tool that shows the model only what fits a budget: JSON text of the memories
 * in LangChain's `ToolMessage.artifact` (`responseFormat: "content_and_artifact"`), whether an array of
 * memories, of search hits, or an object with either as `memories`. It is what the threshold is
 * compared with and what is stored, in place of the formatted text; a set that stays inline leaves
 * that text as it is. `undefined` for any other artifact. Never throws.
 *
 * @source LRO specification, Integration with inject_context.
 */
export function preBudgetSet(artifact: unknown): string | undefined {
  try {
    if (!isMemorySet(artifact)) return undefined;
    return JSON.stringify(artifact);
  } catch {
    // A cycle, a BigInt, or a getter that throws: the message's own content is still there.
    return undefined;
  }
}

function isMemorySet(artifact: unknown): boolean {
  const set: unknown =
    typeof artifact === "object" && artifact !== null && "memories" in artifact
      ? artifact.memories
      : artifact;
  return Array.isArray(set) && set.length > 0 && set.slice(0, MAX_LOOKED_AT).every(isMemoryOrHit);
}

function isMemoryOrHit(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return false;
  return isMemory("memory" in item ? item.memory : item);
}
