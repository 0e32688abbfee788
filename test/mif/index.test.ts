import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../bench/corpus.js";
import { fromJsonLd, toJsonLd } from "../../src/mif/index.js";
import { isMemory } from "../../src/core/content/mif/memory-schema.js";
import { MEMORY_SCHEMAS } from "./memory-schemas.js";

/** The closed parts of MIF 1.0 that a mapper could get wrong. */
const share = { type: "number", minimum: 0, maximum: 1 };
const isMif = new Ajv2020({ strict: false }).compile({
  type: "object",
  required: ["@context", "@type", "@id", "content", "created", "conceptType"],
  properties: {
    "@id": { type: "string", pattern: "^urn:mif:" },
    "@type": { const: "Concept" },
    conceptType: { enum: ["semantic", "episodic", "procedural"] },
    content: { type: "string", minLength: 1 },
    title: { type: "string" },
    namespace: { type: "string", pattern: "^[a-zA-Z0-9_-]+(/[a-zA-Z0-9_-]+)*$" },
    tags: { type: "array", items: { type: "string" } },
    summary: { type: "string", maxLength: 500 },
    extensions: { type: "object" },
    relationships: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "target"],
        properties: {
          type: { type: "string", pattern: "^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?$" },
          target: { type: "string" },
          strength: share,
          metadata: { type: "object" },
        },
        additionalProperties: false,
      },
    },
    provenance: {
      type: "object",
      properties: { confidence: share, agent: { type: "string" } },
    },
    temporal: {
      type: "object",
      properties: {
        "@type": { const: "TemporalMetadata" },
        validFrom: { type: ["string", "null"] },
        validUntil: { type: ["string", "null"] },
        recordedAt: { type: "string" },
        ttl: { type: "string", pattern: "^P" },
        decay: {
          type: "object",
          properties: {
            model: { enum: ["none", "linear", "exponential", "step"] },
            halfLife: { type: "string", pattern: "^P" },
            currentStrength: share,
            lastReinforced: { type: "string" },
          },
          additionalProperties: false,
        },
        accessCount: { type: "integer", minimum: 0 },
        lastAccessed: { type: "string" },
      },
      additionalProperties: false,
    },
    embedding: {
      type: "object",
      properties: {
        "@type": { const: "EmbeddingReference" },
        model: { type: "string" },
        modelVersion: { type: "string" },
        dimensions: { type: "integer", minimum: 1 },
        sourceText: { type: "string" },
        vectorUri: { type: "string" },
        normalized: { type: "boolean" },
      },
      additionalProperties: false,
    },
    citations: {
      type: "array",
      items: {
        type: "object",
        required: ["@type", "citationType", "citationRole", "title", "url"],
      },
    },
  },
});

const json = fc.jsonValue({ maxDepth: 3 });
const instant = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());
const maybe = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: json });

const memory: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      id: fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), fc.constant("urn:mif:urn:mif:a")),
      memory_type: maybe(fc.constantFrom("semantic", "episodic", "procedural")),
      title: maybe(fc.string()),
      namespace: maybe(fc.constantFrom("_semantic/decisions", "a b", "")),
      tags: maybe(fc.array(fc.string())),
      created: maybe(instant),
      modified: maybe(instant),
      content: maybe(fc.string()),
      summary: maybe(fc.string()),
      status: maybe(fc.constant("active")),
      confidence: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
      provenance: maybe(
        fc.record(
          {
            confidence: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
            trust_level: maybe(fc.constant("verified")),
            source_type: maybe(fc.constant("user_explicit")),
            agent: maybe(fc.string()),
          },
          { requiredKeys: [] },
        ),
      ),
      temporal: maybe(
        fc.record(
          {
            decay: maybe(
              fc.record({ model: fc.constant("linear"), half_life: maybe(fc.constant("P7D")) }),
            ),
            ttl: maybe(fc.constant("P1Y")),
            valid_from: maybe(instant),
            valid_until: maybe(fc.constant(null)),
          },
          { requiredKeys: [] },
        ),
      ),
      entities: maybe(
        fc.array(
          fc.record({ name: fc.string(), type: maybe(fc.constantFrom("Person", "soil-profile")) }),
        ),
      ),
      relationships: maybe(
        fc.array(
          fc.record({
            type: maybe(fc.constantFrom("RelatesTo", "derived-from", "X1Y2")),
            target: fc.string(),
            metadata: fc.dictionary(fc.string(), json),
          }),
        ),
      ),
      embedding: maybe(fc.record({ model: fc.string(), dimensions: fc.nat() })),
      extensions: maybe(
        fc.dictionary(
          fc.constantFrom("a", "lro", "mif", "@id", "__proto__"),
          fc.oneof(json, fc.dictionary(fc.constantFrom("title", "@id", "aliases", "filled"), json)),
        ),
      ),
      blocks: maybe(fc.dictionary(fc.string(), fc.string())),
      citations: maybe(fc.array(json)),
      wiki_links: maybe(fc.array(fc.string())),
      "@id": json,
      "@type": json,
      entity: json,
      conceptType: json,
    },
    { requiredKeys: [] },
  )
  // As it would be read from a file: no -0 beside 0, no object without a prototype.
  .map((value) => JSON.parse(JSON.stringify(value)));

describe("a memory as MIF JSON-LD", () => {
  it("comes back as it was, whatever its fields hold", () => {
    fc.assert(
      fc.property(memory, (value) => {
        const concept = JSON.parse(JSON.stringify(toJsonLd(value)));
        expect(fromJsonLd(concept)).toEqual(value);
      }),
      { numRuns: 75 },
    );
  });

  it("is valid MIF 1.0, whatever its fields hold", () => {
    fc.assert(
      fc.property(memory, (value) => {
        isMif(toJsonLd(value));
        expect(isMif.errors).toBeNull();
      }),
      { numRuns: 75 },
    );
  });

  it.each(["light", "medium", "full"] as const)("comes back at level %s", (detail) => {
    for (const value of memoryCorpus(30, detail)) {
      expect(MEMORY_SCHEMAS[detail].safeParse(value)).toMatchObject({ success: true });
      expect(fromJsonLd(toJsonLd(value))).toEqual(value);
      isMif(toJsonLd(value));
      expect(isMif.errors).toBeNull();
    }
  });

  it("uses MIF's names", () => {
    const [value] = memoryCorpus(1, "full");
    expect(
      toJsonLd({
        ...value!,
        id: "550e8400-e29b-41d4-a716-446655440000",
        relationships: [{ type: "DerivedFrom", target: "urn:mif:b", strength: 0.5 }],
        entities: [{ name: "Atlas Team", type: "Organization" }],
        provenance: { confidence: 0.9, trust_level: "verified", source_type: "user_explicit" },
        temporal: { valid_from: "2026-01-01T00:00:00Z", valid_until: null, ttl: "P1Y" },
      }),
    ).toMatchObject({
      "@context": "https://mif-spec.dev/schema/context.jsonld",
      "@type": "Concept",
      "@id": "urn:mif:550e8400-e29b-41d4-a716-446655440000",
      relationships: [{ type: "derived-from", target: "urn:mif:b", strength: 0.5 }],
      entities: [
        {
          "@type": "EntityReference",
          entity: { "@id": "urn:mif:entity:organization:atlas-team" },
          entityType: "Organization",
          name: "Atlas Team",
        },
      ],
      provenance: {
        "@type": "Provenance",
        confidence: 0.9,
        trustLevel: "verified",
        sourceType: "user_explicit",
      },
      temporal: { "@type": "TemporalMetadata", validFrom: "2026-01-01T00:00:00Z", ttl: "P1Y" },
      extensions: { lro: { fields: { status: "active" } } },
    });
  });
});

describe("a concept of others", () => {
  const concept = {
    "@context": "https://mif-spec.dev/schema/context.jsonld",
    "@type": "Concept",
    "@id": "urn:mif:urn-1",
    conceptType: "procedural",
    content: "Restart the lease.",
    created: "2026-01-01T00:00:00Z",
    aliases: ["lease"],
    properties: { priority: 3 },
    provenance: { "@type": "Provenance", confidence: 0.7 },
    extensions: { "subcog:domain": "user" },
  };

  it("becomes a memory and keeps what a memory has no field for", () => {
    const read = fromJsonLd(concept);
    expect(isMemory({ ...read, title: "t" })).toBe(true);
    expect(read).toEqual({
      id: "urn-1",
      memory_type: "procedural",
      content: "Restart the lease.",
      created: "2026-01-01T00:00:00Z",
      provenance: { confidence: 0.7 },
      extensions: {
        "subcog:domain": "user",
        mif: { aliases: ["lease"], properties: { priority: 3 } },
      },
    });
  });

  it("comes back as it was", () => {
    expect(toJsonLd(fromJsonLd(concept))).toEqual(concept);
  });
});
