/** Objects whose keys belong to the data and are never renamed. */
const OPEN_MAPS: ReadonlySet<string> = new Set(["metadata", "extensions"]);

/** Replaces each key of an object, and of the objects in it, but not those of open maps. */
function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      rename(key),
      OPEN_MAPS.has(key) ? member : renameKeys(member, rename),
    ]),
  );
}

/** `valid_from` becomes `validFrom`, at every depth. */
export function toCamelCase(value: unknown): unknown {
  return renameKeys(value, (key) =>
    key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** `validFrom` becomes `valid_from`, at every depth; JSON-LD's own keys, such as `@type`, go. */
export function toSnakeCase(value: unknown): unknown {
  return withoutKeywords(
    renameKeys(value, (key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  );
}

function withoutKeywords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutKeywords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("@"))
      .map(([key, member]) => [key, OPEN_MAPS.has(key) ? member : withoutKeywords(member)]),
  );
}

/** `DerivedFrom` becomes `derived-from`; what is kebab-case already stays. */
export function toKebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** `derived-from` becomes `DerivedFrom`. */
export function toPascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
