import { readFileSync } from "node:fs";

const texts = new Map<string, string>();

/** The text of a file of an installed package, by its path in `node_modules`. */
export function packageFile(path: string): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url), "utf8");
  texts.set(path, text);
  return text;
}

/** The JSON value in a file of an installed package. */
export function packageJsonFile<Value>(path: string): Value {
  return JSON.parse(packageFile(path)) as Value;
}
