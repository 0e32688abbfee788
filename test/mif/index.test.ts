import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { memoryCorpus } from "../../bench/corpus.js";
import { fromJsonLd, toJsonLd } from "../../src/mif/index.js";
import { isMemory } from "../../src/core/content/mif/memory-schema.js";

const text = { type: "string" };
const share = { type: "number", minimum: 0, maximum: 1 };
const period = { type: "string", pattern: "^P" };
const map = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  ...more,
});
const closed = (properties: object, required: readonly string[] = []): object =>
  map(properties, { required, additionalProperties: false });
const list = (items: object): object => ({ type: "array", items });
const only = (...values: readonly string[]): object => ({ enum: values });

/** The closed parts of MIF 1.0 that a mapper could get wrong. */
const isMif = new Ajv2020({ strict: false }).compile(
  map(
    {
      "@id": { type: "string", pattern: "^urn:mif:" },
      "@type": only("Concept"),
      conceptType: only("semantic", "episodic", "procedural"),
      content: { type: "string", minLength: 1 },
      title: text,
      namespace: { type: "string", pattern: "^[a-zA-Z0-9_-]+(/[a-zA-Z0-9_-]+)*$" },
      tags: list(text),
      summary: { type: "string", maxLength: 500 },
      extensions: map({}),
      relationships: list(
        closed(
          {
            type: { type: "string", pattern: "^[a-z0-9][a-z0-9-]*(:[a-z0-9][a-z0-9-]*)?$" },
            target: text,
            strength: share,
            metadata: map({}),
          },
          ["type", "target"],
        ),
      ),
      provenance: map({ confidence: share, agent: text }),
      temporal: closed({
        "@type": only("TemporalMetadata"),
        validFrom: { type: ["string", "null"] },
        validUntil: { type: ["string", "null"] },
        recordedAt: text,
        ttl: period,
        decay: closed({
          model: only("none", "linear", "exponential", "step"),
          halfLife: period,
          currentStrength: share,
          lastReinforced: text,
        }),
        accessCount: { type: "integer", minimum: 0 },
        lastAccessed: text,
      }),
    },
    { required: ["@context", "@type", "@id", "content", "created", "conceptType"] },
  ),
);

const json = fc.jsonValue({ maxDepth: 3 });
const instant = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
  .map((date) => date.toISOString());
const oneOf = (...values: readonly unknown[]) => fc.constantFrom(...values);
const confidence = fc.double({ min: 0, max: 1, noNaN: true });
/** Usually a field's own kind of value, and at times any JSON. */
const fields = (usual: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  Object.fromEntries(
    Object.entries(usual).map(([name, arbitrary]) => [
      name,
      fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: json }),
    ]),
  );
const some = (usual: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(fields(usual), { requiredKeys: [] });
const kinds = (...values: readonly string[]) => fields({ type: fc.constantFrom(...values) });

const memory: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      id: fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), fc.constant("urn:mif:urn:mif:a")),
      ...fields({
        memory_type: oneOf("semantic", "episodic", "procedural"),
        title: fc.string(),
        namespace: oneOf("_semantic/decisions", "a b", ""),
        tags: fc.array(fc.string()),
        created: instant,
        modified: instant,
        content: fc.string(),
        summary: fc.string(),
        status: oneOf("active"),
        confidence,
        provenance: some({
          confidence,
          trust_level: oneOf("verified"),
          source_type: oneOf("user_explicit"),
          agent: fc.string(),
        }),
        temporal: some({
          decay: fc.record({ model: oneOf("linear"), ...fields({ half_life: oneOf("P7D") }) }),
          ttl: oneOf("P1Y"),
          valid_from: instant,
          valid_until: oneOf(null),
        }),
        entities: fc.array(
          fc.oneof(
            fc.record({ name: fc.string(), ...kinds("Person", "soil-profile") }),
            some({ name: oneOf("a"), type: oneOf("Person"), entity: oneOf("urn:mif:a") }),
          ),
        ),
        relationships: fc.array(
          fc.record({
            ...kinds("RelatesTo", "derived-from", "X1Y2"),
            target: fc.string(),
            metadata: fc.dictionary(fc.string(), json),
          }),
        ),
        embedding: fc.record({ model: fc.string(), dimensions: fc.nat() }),
        extensions: fc.dictionary(
          fc.constantFrom("a", "lro", "mif", "@id", "__proto__"),
          fc.oneof(json, fc.dictionary(fc.constantFrom("title", "@id", "aliases", "filled"), json)),
        ),
        blocks: fc.dictionary(fc.string(), fc.string()),
        citations: fc.array(json),
        wiki_links: fc.array(fc.string()),
      }),
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
  it("comes back as it was, and is valid MIF 1.0, whatever its fields hold", () => {
    fc.assert(
      fc.property(memory, (value) => {
        const concept = toJsonLd(value);
        isMif(concept);
        expect(isMif.errors).toBeNull();
        expect(fromJsonLd(JSON.parse(JSON.stringify(concept)))).toEqual(value);
      }),
      { numRuns: 150 },
    );
  });

  it("uses MIF's names", () => {
    const concept = toJsonLd({
      ...memoryCorpus(1, "full")[0],
      id: "550e8400-e29b-41d4-a716-446655440000",
      relationships: [{ type: "DerivedFrom", target: "urn:mif:b", strength: 0.5 }],
      entities: [{ name: "Atlas Team", type: "Organization" }],
      provenance: { confidence: 0.9, trust_level: "verified", source_type: "user_explicit" },
      temporal: { valid_from: "2026-01-01T00:00:00Z", valid_until: null, ttl: "P1Y" },
    });
    const entity = { "@id": "urn:mif:entity:organization:atlas-team" };
    const named = { entity, entityType: "Organization", name: "Atlas Team" };
    const origin = { confidence: 0.9, trustLevel: "verified", sourceType: "user_explicit" };
    expect(concept).toMatchObject({
      "@context": "https://mif-spec.dev/schema/context.jsonld",
      "@type": "Concept",
      "@id": "urn:mif:550e8400-e29b-41d4-a716-446655440000",
      relationships: [{ type: "derived-from", target: "urn:mif:b", strength: 0.5 }],
      entities: [{ "@type": "EntityReference", ...named }],
      provenance: { "@type": "Provenance", ...origin },
      temporal: { "@type": "TemporalMetadata", validFrom: "2026-01-01T00:00:00Z", ttl: "P1Y" },
      extensions: { lro: { fields: { status: "active" } } },
    });
  });
});

describe("a concept of others", () => {
  const target = "urn:mif:b";
  const concept = {
    "@context": "https://mif-spec.dev/schema/context.jsonld",
    "@type": "Concept",
    "@id": "urn:mif:urn-1",
    conceptType: "procedural",
    content: "Restart the lease.",
    created: "2026-01-01T00:00:00Z",
    aliases: ["lease"],
    properties: { priority: 3 },
    entities: [
      {
        "@type": "EntityReference",
        entity: { "@id": "urn:mif:entity:technology:vscode" },
        entityType: "Technology",
        name: "VS Code",
      },
    ],
    provenance: { "@type": "Provenance", confidence: 0.7 },
    relationships: ["is-a-kind-of", "part-of", "a--b", "ns:kind-of-a"].map((type) => ({
      type,
      target,
    })),
    extensions: { "subcog:domain": "user" },
  };

  it("becomes a memory, keeps what a memory has no field for, and comes back as it was", () => {
    const read = fromJsonLd(concept);
    const mif = { aliases: ["lease"], properties: { priority: 3 } };
    expect(isMemory({ ...read, title: "t" })).toBe(true);
    expect(read).toEqual({
      id: "urn-1",
      memory_type: "procedural",
      content: "Restart the lease.",
      created: "2026-01-01T00:00:00Z",
      entities: [
        { name: "VS Code", type: "Technology", entity: "urn:mif:entity:technology:vscode" },
      ],
      provenance: { confidence: 0.7 },
      relationships: ["IsAKindOf", "PartOf", "A-B", "Ns:kindOfA"].map((type) => ({ type, target })),
      extensions: { "subcog:domain": "user", mif },
    });
    expect(toJsonLd(read)).toEqual(concept);
  });

  it("is given no type that it has not, and no other id", () => {
    const entity = { "@id": "urn:mif:entity:technology:vscode" };
    const linked = { relationships: [{ target: { "@id": target } }], entities: [{ entity }] };
    const untyped = { ...concept, "@id": "https://example.com/urn:mif:1", ...linked };
    expect(fromJsonLd(untyped)).toMatchObject({
      id: untyped["@id"],
      relationships: [{ target }],
      entities: [{ entity: entity["@id"] }],
    });
  });
});
