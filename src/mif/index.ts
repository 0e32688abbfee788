import { isDeepStrictEqual } from "node:util";

import { isRecord, type JsonObject } from "../util/is-record.js";
import { CONCEPT_SHAPE, type MifConcept } from "./shapes.js";

export type { MifConcept } from "./shapes.js";

/** @source MIF 1.0, JSON-LD context. */
const CONTEXT = "https://mif-spec.dev/schema/context.jsonld";
const URN = "urn:mif:";
const LRO = "lro";
const MIF = "mif";

const TYPED: Readonly<Record<string, string>> = {
  entities: "EntityReference",
  provenance: "Provenance",
  temporal: "TemporalMetadata",
};

const RESERVED = new Set(["@context", "@type", "@id", "extensions"]);

/** Objects whose keys belong to the data and are never renamed. */
const OPEN_MAPS = new Set(["metadata", "extensions"]);

/**
 * Writes a memory as MIF JSON-LD 1.0. Valid fields become MIF members. Anything else (`status`, `wiki_links`, `blocks`,
 * `embedding`, `citations`, `null`, unknown fields, invalid values) goes unchanged into `extensions.lro`, from where {@link fromJsonLd} restores
 * it. Members that MIF requires and the memory lacks are filled in, and `extensions.lro.filled` names them.
 * @param memory - A memory line; JSON data.
 */
export function toJsonLd(memory: JsonObject): MifConcept {
  const { id } = memory;
  const given = entriesOf(memory["extensions"]);
  const others = entriesOf(given.find(([name]) => name === MIF)?.[1]);
  const extensions = given.filter(([name]) => name !== LRO && name !== MIF);
  const concept: MifConcept = {
    "@context": CONTEXT,
    "@type": "Concept",
    "@id": typeof id !== "string" ? `${URN}unknown` : id.startsWith(URN) ? id : `${URN}${id}`,
    conceptType: "semantic",
    content: "(no content)",
    created: "1970-01-01T00:00:00Z",
    ...Object.fromEntries(others.filter(([name]) => isOther(name))),
    ...mappedMembers(memory),
    ...(extensions.length > 0 && { extensions: Object.fromEntries(extensions) }),
  };
  const back = readMembers(concept);
  const fields = Object.entries(memory).filter(
    ([name, value]) => !Object.hasOwn(back, name) || !isDeepStrictEqual(back[name], value),
  );
  const filled = Object.keys(back).filter((name) => !Object.hasOwn(memory, name));
  if (fields.length === 0 && filled.length === 0) return concept;
  const lro = { fields: Object.fromEntries(fields), filled };
  return { ...concept, extensions: { ...Object.fromEntries(extensions), [LRO]: lro } };
}

/**
 * Reads a MIF concept as the memory line that the LRO specification writes. The exact inverse
 * of {@link toJsonLd}. Members of other concepts without a memory field go into `extensions.mif`.
 */
export function fromJsonLd(concept: JsonObject): JsonObject {
  const { fields, filled } = Object.fromEntries(
    entriesOf(Object.fromEntries(entriesOf(concept["extensions"]))[LRO]),
  );
  const kept = Object.entries(readMembers(concept)).filter(
    ([name]) => !(Array.isArray(filled) && filled.includes(name)),
  );
  return Object.fromEntries([...kept, ...entriesOf(fields)]);
}

function mappedMembers(memory: JsonObject): JsonObject {
  const members = Object.entries(CONCEPT_SHAPE).flatMap(([name, shape]) => {
    const renamed = renameKeys(memory[name === "conceptType" ? "memory_type" : name], (key) =>
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    );
    const items = Array.isArray(renamed) ? renamed.map((item) => toMifItem(name, item)) : renamed;
    const { data } = shape.safeParse(items);
    return data === undefined ? [] : [[name, mark(name, data)] as const];
  });
  return Object.fromEntries(members);
}

function toMifItem(name: string, item: unknown): unknown {
  if (!isRecord(item) || typeof item["type"] !== "string") return item;
  if (name === "entities") return { ...item, entityType: item["type"] };
  const kebab = item["type"].replaceAll(/(?<=[^:])[A-Z]/g, (letter) => `-${letter}`);
  return name === "relationships" ? { ...item, type: kebab.toLowerCase() } : item;
}

function mark(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mark(name, item));
  if (TYPED[name] === undefined || !isRecord(value)) return value;
  const { entity = entityUrn(value["entityType"], value["name"]), ...own } = value;
  return {
    "@type": TYPED[name],
    ...(name === "entities" && { entity: { "@id": entity } }),
    ...own,
  };
}

function entityUrn(type: unknown, name: unknown): string {
  return `${URN}entity:${urnPart(type)}:${urnPart(name)}`;
}

function urnPart(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed().toLowerCase().replaceAll(/\s+/g, "-"));
}

function readMembers(concept: JsonObject): JsonObject {
  const fields: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(concept)) {
    if (name === "@id") fields.push(["id", String(value).replace(/^urn:mif:/, "")]);
    else if (name === "conceptType") fields.push(["memory_type", value]);
    else if (Object.hasOwn(CONCEPT_SHAPE, name)) fields.push([name, fromMifNames(name, value)]);
    else if (isOther(name)) others.push([name, value]);
  }
  const extensions = entriesOf(concept["extensions"]).filter(([name]) => name !== LRO);
  if (others.length > 0) extensions.push([MIF, Object.fromEntries(others)]);
  if (extensions.length > 0) fields.push(["extensions", Object.fromEntries(extensions)]);
  return Object.fromEntries(fields);
}

function isOther(name: string): boolean {
  return !Object.hasOwn(CONCEPT_SHAPE, name) && !RESERVED.has(name);
}

function fromMifNames(name: string, value: unknown): unknown {
  const renamed = renameKeys(value, (key) =>
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  if (!Array.isArray(renamed)) return renamed;
  return renamed.map((item: unknown) => {
    if (!isRecord(item)) return item;
    const { entity, entity_type: type, ...rest } = item;
    if (name === "entities") {
      const isOwn = entity === undefined || entity === entityUrn(type, rest["name"]);
      return { ...rest, type, ...(!isOwn && { entity }) };
    }
    if (name !== "relationships" || typeof item["type"] !== "string") return item;
    const pascal = item["type"].replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) =>
      letter.toUpperCase(),
    );
    return { ...item, type: pascal };
  });
}

/** A link `{ "@id": text }` is its text. */
function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([key]) => key !== "@type");
  const { "@id": id } = value;
  if (members.length === 1 && typeof id === "string") return id;
  return Object.fromEntries(
    members.map(([key, member]) => [
      rename(key),
      OPEN_MAPS.has(key) ? member : renameKeys(member, rename),
    ]),
  );
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
