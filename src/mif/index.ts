import { isDeepStrictEqual } from "node:util";

import { toCamelCase, toKebabCase, toPascalCase, toSnakeCase } from "./names.js";
import { CONCEPT_SHAPE, type MifConcept } from "./shapes.js";

export type { MifConcept } from "./shapes.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** @source MIF 1.0, JSON-LD context. */
const CONTEXT = "https://mif-spec.dev/schema/context.jsonld";
const URN = "urn:mif:";
/** The extension that holds what of a memory MIF has no place for. */
const LRO = "lro";
/** The extension of a memory that holds what of a concept the memory has no field for. */
const MIF = "mif";

/** Where MIF has another name for a field, or wants its objects marked with a type. */
const TYPED: Readonly<Record<string, string>> = {
  entities: "EntityReference",
  embedding: "EmbeddingReference",
  provenance: "Provenance",
  temporal: "TemporalMetadata",
  citations: "Citation",
};

/** Members that are written anew or have a field under another name. */
const RESERVED: ReadonlySet<string> = new Set([
  "@context",
  "@type",
  "@id",
  "memoryType",
  "extensions",
]);

/**
 * Writes a memory as MIF JSON-LD 1.0. Valid fields take their place in MIF; whatever MIF has no place
 * for (`status`, `wiki_links`, `blocks`, `null`, unknown fields, invalid values) goes word for word
 * into `extensions.lro`, from where {@link fromJsonLd} restores it. What MIF requires and the memory
 * lacks is filled in, and `extensions.lro.filled` names it.
 *
 * @param memory - A memory line; JSON data.
 */
export function toJsonLd(memory: JsonObject): MifConcept {
  const extensions = ownEntries(memory["extensions"], LRO, MIF);
  const members: Record<string, unknown> = {
    ...Object.fromEntries(
      ownEntries(ownObject(memory["extensions"])?.[MIF]).filter(([name]) => isOther(name)),
    ),
    ...mappedMembers(memory),
    ...(extensions.length > 0 && { extensions: Object.fromEntries(extensions) }),
  };
  const confidence = CONCEPT_SHAPE["provenance"]?.parse({ confidence: memory["confidence"] });
  if (members["provenance"] === undefined && memory["confidence"] !== undefined) {
    members["provenance"] = mark(TYPED["provenance"], confidence);
  }
  const concept: MifConcept = {
    "@context": CONTEXT,
    "@type": "Concept",
    "@id": idToUrn(memory["id"]),
    conceptType: "semantic",
    content: "(no content)",
    created: "1970-01-01T00:00:00Z",
    ...members,
  };
  const back = readMembers(concept);
  const fields = Object.entries(memory).filter(
    ([name, value]) => !Object.hasOwn(back, name) || !isDeepStrictEqual(back[name], value),
  );
  const filled = Object.keys(back).filter((name) => !Object.hasOwn(memory, name));
  if (fields.length === 0 && filled.length === 0) return concept;
  const lro = { fields: Object.fromEntries(fields), filled };
  return { ...concept, extensions: { ...ownObject(concept["extensions"]), [LRO]: lro } };
}

/**
 * Reads a MIF concept, or a memory of MIF 0.1, as the memory line that the LRO specification writes. The
 * exact inverse of {@link toJsonLd}. Members of other concepts that a memory has no field for go into
 * `extensions.mif`.
 */
export function fromJsonLd(concept: JsonObject): JsonObject {
  const lro = ownObject(ownObject(concept["extensions"])?.[LRO]);
  const filled: unknown = lro?.["filled"];
  const kept = Object.entries(readMembers(concept)).filter(
    ([name]) => !(Array.isArray(filled) && filled.includes(name)),
  );
  return Object.fromEntries([...kept, ...ownEntries(lro?.["fields"])]);
}

/** The fields that MIF has a place for, in its names and only where they are valid. */
function mappedMembers(memory: JsonObject): JsonObject {
  const members: [string, unknown][] = [];
  for (const [name, shape] of Object.entries(CONCEPT_SHAPE)) {
    const field = name === "conceptType" ? "memory_type" : name;
    const value = memory[field];
    if (value === undefined || value === null) continue;
    const mapped: unknown = shape.parse(toMifNames(name, value));
    if (mapped === undefined) continue;
    members.push([name, mark(TYPED[name], mapped)]);
  }
  return Object.fromEntries(members);
}

function toMifNames(name: string, value: unknown): unknown {
  if (typeof value !== "object") return value;
  const renamed = toCamelCase(value);
  if (!Array.isArray(renamed)) return renamed;
  return renamed.map((item: unknown) => {
    const object = ownObject(item);
    const type = object?.["type"];
    if (object === undefined || typeof type !== "string") return item;
    if (name === "relationships") return { ...object, type: toKebabCase(type) };
    return name === "entities" ? { ...object, entityType: type } : item;
  });
}

function mark(type: string | undefined, value: unknown): unknown {
  if (type === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => mark(type, item));
  const object = ownObject(value) ?? {};
  const urn = type === "EntityReference" ? { entity: { "@id": entityUrn(object) } } : {};
  return { "@type": type, ...urn, ...object };
}

function entityUrn(entity: JsonObject): string {
  return `${URN}entity:${urnPart(entity["entityType"])}:${urnPart(entity["name"])}`;
}

function urnPart(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed().toLowerCase().replaceAll(/\s+/g, "-"));
}

/** The members of a concept as fields of a memory, without what `extensions.lro` restores. */
function readMembers(concept: JsonObject): JsonObject {
  const fields: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(concept)) {
    if (name === "@id") fields.push(["id", urnToId(String(value))]);
    else if (name === "conceptType" || name === "memoryType") fields.push(["memory_type", value]);
    else if (Object.hasOwn(CONCEPT_SHAPE, name)) fields.push([name, fromMifNames(name, value)]);
    else if (isOther(name)) others.push([name, value]);
  }
  const extensions = [
    ...ownEntries(concept["extensions"], LRO),
    ...(others.length > 0 ? [[MIF, Object.fromEntries(others)] as const] : []),
  ];
  if (extensions.length > 0) fields.push(["extensions", Object.fromEntries(extensions)]);
  return Object.fromEntries(fields);
}

/** Whether a member of a concept is one that a memory has no field for. */
function isOther(name: string): boolean {
  return !Object.hasOwn(CONCEPT_SHAPE, name) && !RESERVED.has(name);
}

function fromMifNames(name: string, value: unknown): unknown {
  if (typeof value !== "object") return value;
  const renamed = toSnakeCase(value);
  if (!Array.isArray(renamed)) return renamed;
  return renamed.map((item: unknown) => {
    const object = ownObject(item);
    if (object === undefined) return item;
    if (name === "relationships") return { ...object, type: toPascalCase(String(object["type"])) };
    if (name !== "entities") return item;
    const { entity: _, entity_type: type, ...rest } = object;
    return { ...rest, type };
  });
}

function idToUrn(id: unknown): string {
  if (typeof id !== "string") return `${URN}unknown`;
  return id.startsWith(URN) ? id : `${URN}${id}`;
}

function urnToId(urn: string): string {
  return urn.startsWith(URN) ? urn.slice(URN.length) : urn;
}

function ownObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** Members of an object but the named ones; none of anything else. */
function ownEntries(value: unknown, ...without: readonly string[]): [string, unknown][] {
  return Object.entries(ownObject(value) ?? {}).filter(([key]) => !without.includes(key));
}
