import { isRecord } from "../../util/is-record.js";

/** What stands for a result that left the context, as structured content. */
const DESCRIPTOR_SCHEMA = {
  type: "object",
  properties: { offloaded: { type: "boolean" } },
  required: ["offloaded"],
};

/** Where the parts are that references point to; they stay at the root, so that these still do. */
const DEFINITIONS = ["$defs", "definitions"];
const INTO_DEFINITIONS = /^#\/(?:\$defs|definitions)\//;
/** Keywords that give or take names which another place in the document would change. */
const NAMING = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"];
/** Nesting that is looked at; no schema for people is as deep. */
const MAX_DEPTH = 64;

/**
 * An output schema that both a tool's own results and descriptors satisfy. `undefined` when there is
 * none that means the same, because parts of the schema refer to its root: without a schema a client
 * checks nothing.
 */
export function unionSchema(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(schema) || !canMove(schema, 0)) return undefined;
  const entries = Object.entries(schema);
  const atRoot = entries.filter(([key]) => key === "$schema" || DEFINITIONS.includes(key));
  const own = entries.filter(([key]) => key !== "$schema" && !DEFINITIONS.includes(key));
  return {
    ...Object.fromEntries(atRoot),
    ...(schema["type"] === "object" && { type: "object" }),
    anyOf: [Object.fromEntries(own), DESCRIPTOR_SCHEMA],
  };
}

function canMove(part: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(part)) return part.every((item) => canMove(item, depth + 1));
  if (!isRecord(part)) return true;
  if (NAMING.some((keyword) => typeof part[keyword] === "string")) return false;
  const reference = part["$ref"];
  if (typeof reference === "string" && !INTO_DEFINITIONS.test(reference)) return false;
  return Object.values(part).every((value) => canMove(value, depth + 1));
}

/** A descriptor as structured content: an object with `offloaded`, whatever form the preset gives it. */
export function structuredDescriptor(text: string, offloaded: boolean): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && typeof value["offloaded"] === "boolean") return text;
  } catch {
    // A form that is no JSON, such as a message with a preview.
  }
  return JSON.stringify({ offloaded, text });
}
