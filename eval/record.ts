/** One record of a corpus, as a tool returns it. */
export type JsonRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** The value at a path of names such as `extensions.priority`; `undefined` where there is none. */
export function valueAt(record: unknown, path: string): unknown {
  let value = record;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = Reflect.get(value, name);
  }
  return value;
}

/** The text at a path. @throws `TypeError` when something else is there. */
export function textAt(record: unknown, path: string): string {
  const value = valueAt(record, path);
  if (typeof value !== "string") throw new TypeError(`${path} is no text.`);
  return value;
}

/** The number at a path. @throws `TypeError` when something else is there. */
export function numberAt(record: unknown, path: string): number {
  const value = valueAt(record, path);
  if (typeof value !== "number") throw new TypeError(`${path} is no number.`);
  return value;
}
