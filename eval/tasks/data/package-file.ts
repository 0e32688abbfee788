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

/** The text of a licence by its SPDX identifier. */
export function licenceText(id: string): string {
  const file = JSON.parse(packageFile(`spdx-license-list/licenses/${id}.json`)) as {
    readonly licenseText: string;
  };
  return file.licenseText;
}
