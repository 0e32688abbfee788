import * as z from "zod";

/** A MIF concept as JSON-LD, version 1.0, as `toJsonLd` writes it. */
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

const share: z.ZodType = z.number().min(0).max(1);
const text = z.string();
const filled = text.min(1);
const instant = z.iso.datetime({ offset: true });
const duration = text.startsWith("P");

const names = (list: string): z.ZodType => z.enum(list.split(" "));

/**
 * Members with a memory field, under MIF's names.
 * @source JSON Schema of MIF 1.0.
 */
export const CONCEPT_SHAPE: Readonly<Record<string, z.ZodType>> = {
  conceptType: names("semantic episodic procedural"),
  title: text,
  namespace: text.regex(/^[a-zA-Z0-9_-]+(\/[a-zA-Z0-9_-]+)*$/),
  tags: z.array(text),
  created: instant,
  modified: instant,
  content: filled,
  summary: text.max(500),
  entities: z.array(
    z.object({
      name: filled,
      entityType: text.regex(/^(?:Person|Organization|Technology|Concept|File|[a-z][a-z0-9-]*)$/),
      role: text.optional(),
      /** A URN of its own. */
      entity: text.optional(),
    }),
  ),
  relationships: z.array(
    z.object({
      type: text.regex(/^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?$/),
      target: text,
      strength: share.optional(),
      metadata: z.record(text, z.unknown()).optional(),
    }),
  ),
  provenance: z
    .looseObject({
      sourceType: names(
        "user_explicit user_implicit agent_inferred external_import system_generated",
      ),
      confidence: share,
      trustLevel: names(
        "verified user_stated high_confidence moderate_confidence low_confidence uncertain",
      ),
      sourceRef: text,
      agent: text,
      agentVersion: text,
    })
    .partial(),
  temporal: z
    .object({
      validFrom: instant.nullable(),
      validUntil: instant.nullable(),
      recordedAt: instant,
      ttl: duration,
      decay: z
        .object({
          model: names("none linear exponential step"),
          halfLife: duration,
          currentStrength: share,
          lastReinforced: instant,
        })
        .partial(),
      accessCount: z.int().min(0),
      lastAccessed: instant,
    })
    .partial(),
};
