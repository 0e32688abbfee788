import { recordsIn } from "./records-in.js";

/**
 * Paths of fields that a text tells of: those of the records in it, and those of a descriptor's `line_schema`, whether
 * it is a JSON Schema or one path a line.
 */
export function fieldPathsIn(text: string): readonly string[] {
  const schema = schemaIn(text);
  const fromSchema = schema === undefined ? [] : schemaPaths(schema);
  const [record] = recordsIn(text);
  return [...fromSchema, ...(record === undefined ? [] : recordPaths(record))];
}

/** Where each name is; a name that no path ends in is left out. */
export function locate(
  names: readonly string[],
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const located = new Map<string, string>();
  for (const name of names) {
    const path = paths.find((one) => one === name || one.endsWith(`.${name}`));
    if (path !== undefined) located.set(name, path);
  }
  return located;
}

function schemaIn(text: string): object | undefined {
  try {
    const schema: unknown = Reflect.get(Object(JSON.parse(text)), "line_schema");
    return typeof schema === "object" && schema !== null ? schema : undefined;
  } catch {
    return undefined;
  }
}

function schemaPaths(schema: object): string[] {
  const properties: unknown = Reflect.get(schema, "properties");
  if (typeof properties !== "object" || properties === null) return Object.keys(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const isObject = typeof property === "object" && property !== null && "properties" in property;
    return isObject ? schemaPaths(property).map((path) => `${name}.${path}`) : [name];
  });
}

function recordPaths(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? [name, ...recordPaths(value).map((path) => `${name}.${path}`)]
      : [name],
  );
}
