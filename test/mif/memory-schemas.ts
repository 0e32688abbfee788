import * as z from "zod";
import type { DetailLevel } from "../../src/core/types/artifact.js";

const text = z.string().nullish();
const list = z.array(z.unknown()).nullish();
const map = z.record(z.string(), z.unknown()).nullish();
const share = z.number().min(0).max(1).nullish();

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
 * Schemas of one memory line at each detail level. Unknown fields pass.
 *
 * @source LRO specification, Memory Lines; the fields of each level follow from its recipes.
 */
export const MEMORY_SCHEMAS: Readonly<Record<DetailLevel, z.ZodType>> = { light, medium, full };
