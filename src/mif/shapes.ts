import * as z from "zod";

/** A MIF concept as JSON-LD, version 1.0: what `toJsonLd` writes. */
export interface MifConcept {
  readonly [member: string]: unknown;
  readonly "@context": string;
  readonly "@type": "Concept";
  /** `urn:mif:` and the memory's id. */
  readonly "@id": string;
  readonly conceptType: string;
  readonly content: string;
  /** ISO 8601. */
  readonly created: string;
}

/** Schemas of members; what is not valid in MIF counts as absent. */
type Shape = Readonly<Record<string, z.ZodType>>;

const text = z.string().optional().catch(undefined);
const filled = z.string().min(1);
const instant = z.iso.datetime({ offset: true });
const maybeInstant = instant.optional().catch(undefined);
const date = z.iso.date().optional().catch(undefined);
const share = z.number().min(0).max(1).optional().catch(undefined);
const duration = z.string().startsWith("P").optional().catch(undefined);
const openMap = z.record(z.string(), z.unknown()).optional().catch(undefined);
const uri = z.url();

/** A member of its own type or none. */
function lenient(schema: z.ZodType): z.ZodType {
  return schema.optional().catch(undefined);
}

const oneOf = (names: string): z.ZodType =>
  z.union([
    z.enum(names.split(" ")),
    z.string().regex(/^[a-zA-Z][a-zA-Z0-9]*:[a-zA-Z][a-zA-Z0-9-]*$/),
  ]);

/** A list of which only the valid items stay; absent when none does. */
function listOf(item: z.ZodType): z.ZodType {
  const items = z.array(z.unknown()).transform((values) =>
    values.flatMap((value) => {
      const checked = item.safeParse(value);
      return checked.success ? [checked.data] : [];
    }),
  );
  return lenient(items);
}

const citation = z.object({
  citationType: oneOf(
    "article book paper website documentation repository video podcast specification dataset tool other",
  ),
  citationRole: oneOf(
    "supports refutes background methodology contradicts extends derived source example review",
  ),
  title: filled,
  url: uri,
  author: text,
  date,
  accessed: date,
  relevance: share,
  note: z.string().max(1000).optional().catch(undefined),
});

const relationship = z.object({
  type: z.string().regex(/^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?$/),
  target: z.string(),
  strength: share,
  metadata: openMap,
});

const entity = z.object({
  name: filled,
  entityType: z.union([
    z.enum(["Person", "Organization", "Technology", "Concept", "File"]),
    z.string().regex(/^[a-z][a-z0-9-]*$/),
  ]),
  role: text,
});

const embedding = z.object({
  model: text,
  modelVersion: text,
  dimensions: z.int().min(1).optional().catch(undefined),
  sourceText: text,
  vectorUri: uri.optional().catch(undefined),
  normalized: z.boolean().optional().catch(undefined),
});

const provenance = z.looseObject({
  sourceType: z
    .enum([
      "user_explicit",
      "user_implicit",
      "agent_inferred",
      "external_import",
      "system_generated",
    ])
    .optional()
    .catch(undefined),
  confidence: share,
  trustLevel: z
    .enum([
      "verified",
      "user_stated",
      "high_confidence",
      "moderate_confidence",
      "low_confidence",
      "uncertain",
    ])
    .optional()
    .catch(undefined),
  sourceRef: text,
  agent: text,
  agentVersion: text,
});

const decay = z.object({
  model: z.enum(["none", "linear", "exponential", "step"]).optional().catch(undefined),
  halfLife: duration,
  currentStrength: share,
  lastReinforced: maybeInstant,
});

const temporal = z.object({
  validFrom: instant.nullish().catch(undefined),
  validUntil: instant.nullish().catch(undefined),
  recordedAt: maybeInstant,
  ttl: duration,
  decay: lenient(decay),
  accessCount: z.int().min(0).optional().catch(undefined),
  lastAccessed: maybeInstant,
});

/**
 * Members of a concept that a memory has a field for, in MIF's names.
 *
 * @source JSON Schema of MIF 1.0.
 */
export const CONCEPT_SHAPE: Shape = {
  conceptType: lenient(z.enum(["semantic", "episodic", "procedural"])),
  title: text,
  namespace: lenient(z.string().regex(/^[a-zA-Z0-9_-]+(\/[a-zA-Z0-9_-]+)*$/)),
  tags: lenient(z.array(z.string())),
  created: maybeInstant,
  modified: maybeInstant,
  content: lenient(filled),
  summary: lenient(z.string().max(500)),
  entities: listOf(entity),
  relationships: listOf(relationship),
  embedding: lenient(embedding),
  provenance: lenient(provenance),
  temporal: lenient(temporal),
  citations: listOf(citation),
};
