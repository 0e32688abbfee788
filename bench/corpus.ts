import type { DetailLevel } from "../src/core/types/artifact.js";

/** The numbers of the evaluation in the LRO specification. */
export const CORPUS_SIZES = [50, 200, 500] as const;
export const CORPUS_SEED = 42;
export const CORPUS_NAMESPACES = [
  "_semantic/decisions",
  "_semantic/knowledge",
  "_procedural/patterns",
  "_episodic/incidents",
  "_episodic/sessions",
] as const;

const PRODUCTS = ["Atlas", "Borealis", "Cobalt", "Dynamo", "Ember"];
const TOPICS =
  "cache index retry queue token schema shard lease replica cursor batch window backup quota".split(
    " ",
  );
const VERBS = "evicts rebuilds delays splits renews rejects merges drains".split(" ");
const REASONS = [
  "the nightly import doubled",
  "two nodes disagreed about the leader",
  "a client held its connection open",
  "the budget for memory was spent",
  "an upgrade changed the default",
];
const TRUST = ["verified", "user_stated", "high_confidence", "moderate_confidence", "uncertain"];
const SOURCES = ["user_explicit", "agent_inferred", "external_import"];
const START_MS = Date.UTC(2025, 0, 1);

/** Numbers from 0 to below 1 that depend on the seed alone. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Memories as in the evaluation of the LRO specification: seeded, five namespaces, confidence from 0.3
 * to 1, enrichment on about six in ten. `extensions.priority` (1 to 10) and a product in the content are
 * what its filter task asks for. The same ids, titles and dates at every detail level.
 */
export function memoryCorpus(
  count: number,
  detail: DetailLevel,
  seed: number = CORPUS_SEED,
): Record<string, unknown>[] {
  const random = randomNumbers(seed);
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new RangeError("Nothing to pick from.");
    return value;
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");
  return Array.from({ length: count }, (_, index) => {
    const namespace = pick(CORPUS_NAMESPACES);
    const [topic, other, product] = [pick(TOPICS), pick(TOPICS), pick(PRODUCTS)];
    const created = START_MS + index * 3_600_000 + Math.floor(random() * 3_000_000);
    const title = `${product}: the ${topic} ${pick(VERBS)} the ${other}`;
    const confidence = Math.round((0.3 + 0.7 * Math.sqrt(random() * random())) * 100) / 100;
    const light = {
      id: `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      memory_type: namespace.slice(1, namespace.indexOf("/")),
      title,
      namespace,
      tags: [topic, product.toLowerCase()],
      status: "active",
      created: new Date(created).toISOString(),
      modified: new Date(created + 86_400_000).toISOString(),
    };
    const content = `${title}, because ${pick(REASONS)}. Seen in ${product} ${1 + (index % 9)}.`;
    const provenance = {
      confidence,
      trust_level: pick(TRUST),
      source_type: pick(SOURCES),
      agent: "assistant",
    };
    const rich = random() < 0.6;
    const priority = 1 + Math.floor(random() * 10);
    if (detail === "light") return { ...light, content: "" };
    const summary = rich ? `${topic} and ${other} of ${product}` : null;
    if (detail === "medium") return { ...light, content, summary, confidence };
    return {
      ...light,
      content,
      summary,
      entities: rich ? [{ name: product, type: "Technology" }] : [],
      relationships: rich ? [{ type: "RelatesTo", target: `urn:mif:${hex(8)}` }] : [],
      wiki_links: [],
      embedding: null,
      provenance,
      temporal: {
        decay: { model: "none", half_life: null, current_strength: 1 },
        ttl: null,
        valid_from: light.created,
        valid_until: null,
      },
      extensions: { priority },
      blocks: {},
      citations: [],
    };
  });
}
