/** Whether a value is valid against a JSON Schema of the keywords that line schemas use. */
export function isValid(schema: unknown, value: unknown): boolean {
  const allowed = names(keyword(schema, "type"));
  if (allowed.length > 0 && !allowed.some((type) => typesOf(value).includes(type))) return false;
  if (Array.isArray(value)) {
    const items = keyword(schema, "items");
    return items === undefined || value.every((item) => isValid(items, item));
  }
  if (typeof value !== "object" || value === null) return true;
  const required = names(keyword(schema, "required"));
  const properties = Object.fromEntries(Object.entries(keyword(schema, "properties") ?? {}));
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(
      ([name, member]) => !Object.hasOwn(properties, name) || isValid(properties[name], member),
    )
  );
}

function keyword(schema: unknown, name: string): object | string | undefined {
  return Object.fromEntries(Object.entries(schema ?? {}))[name];
}

/** The names of a keyword that takes one or a list. */
function names(value: unknown): string[] {
  return [value].flat().filter((name) => typeof name === "string");
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number")
    return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}
