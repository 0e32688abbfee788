import type { LearnedJsonSchema } from "./json-schema.js";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A schema as the TypeScript type of one record. */
export function typeScriptOf(name: string, schema: LearnedJsonSchema): string {
  return `export type ${typeName(name)} = ${typeOf(schema, "")};\n`;
}

/** A tool's name as that of a type: `list_orders` is `ListOrders`. */
function typeName(toolName: string): string {
  const words = toolName.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(name) ? name : `Output${name}`;
}

function typeOf(schema: LearnedJsonSchema, indent: string): string {
  const { type, enum: words } = schema;
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" | ");
  if (type === undefined) return "unknown";
  const types = typeof type === "string" ? [type] : type;
  const names = types.map((one) => nameOf(one, schema, indent));
  return [...new Set(names)].join(" | ");
}

function nameOf(type: string, schema: LearnedJsonSchema, indent: string): string {
  if (type === "integer") return "number";
  if (type === "array") {
    const item = schema.items === undefined ? "unknown" : typeOf(schema.items, indent);
    return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
  }
  return type === "object" ? objectType(schema, indent) : type;
}

function objectType(schema: LearnedJsonSchema, indent: string): string {
  const { properties = {}, additionalProperties } = schema;
  const required = new Set(schema.required);
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${inner}${key}${required.has(name) ? "" : "?"}: ${typeOf(field, inner)};\n`;
  });
  if (additionalProperties === undefined) {
    return lines.length === 0 ? "Record<string, unknown>" : `{\n${lines.join("")}${indent}}`;
  }
  const map = `Record<string, ${typeOf(additionalProperties, indent)}>`;
  return lines.length === 0 ? map : `{\n${lines.join("")}${indent}} & ${map}`;
}

const DEEPEST = 3;

/**
 * A schema as a type on one line, of at most so many UTF-16 units: what is deep is left out first, then the fields that
 * come last. `undefined` where not even one field fits.
 */
export function briefTypeOf(schema: LearnedJsonSchema, maxCharacters: number): string | undefined {
  for (let depth = DEEPEST; depth >= 1; depth -= 1) {
    const whole = onOneLine(cutBelow(schema, depth));
    if (whole.length <= maxCharacters) return whole;
  }
  const flat = cutBelow(schema, 1);
  const fields = Object.entries(flat.properties ?? {});
  const partOf = (shown: number): string => {
    const properties = Object.fromEntries(fields.slice(0, shown));
    const whole = onOneLine({ ...flat, properties });
    const end = whole.lastIndexOf(" }");
    return `${whole.slice(0, end)} …${whole.slice(end)}`;
  };
  let most = 0;
  for (let least = fields.length; least - most > 1;) {
    const middle = (most + least) >> 1;
    if (partOf(middle).length <= maxCharacters) most = middle;
    else least = middle;
  }
  return most === 0 ? undefined : partOf(most);
}

function onOneLine(schema: LearnedJsonSchema): string {
  return typeOf(schema, "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
}

/** The same with nothing said of what is deeper. */
function cutBelow(schema: LearnedJsonSchema, depth: number): LearnedJsonSchema {
  const { properties, required, additionalProperties, items, ...own } = schema;
  // What an array holds is as deep as the array.
  const kept = items === undefined ? own : { ...own, items: cutBelow(items, depth) };
  if (depth === 0) return kept;
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]): [string, LearnedJsonSchema] => [name, cutBelow(field, depth - 1)],
  );
  return {
    ...kept,
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(required && { required }),
    ...(additionalProperties && {
      additionalProperties: cutBelow(additionalProperties, depth - 1),
    }),
  };
}
