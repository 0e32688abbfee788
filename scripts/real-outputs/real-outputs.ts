import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";

import { fetchPackages, type PinnedPackage } from "./fetch-packages.js";

/** What a tool could have returned: a file of a published package. */
export interface RealOutput {
  /** Package, version and path. */
  readonly name: string;
  /** What the file is by its name, such as `csv` or `markdown`. */
  readonly kind: string;
  /** Its content: a string where the bytes are UTF-8. */
  readonly load: () => Buffer | string;
}

/** Shorter files are not taken, in bytes: no tool output of that size is of interest. */
const MIN_BYTES = 3_000;
const KINDS: Readonly<Record<string, string>> = {
  ".yml": "yaml",
  ".md": "markdown",
  ".markdown": "markdown",
  ".tsbuildinfo": "json",
  ".wsdl": "xml",
  ".xsd": "xml",
};

/** The outputs that `packages.json` names, in its order. What is not in the cache is fetched first. */
export async function realOutputs(): Promise<readonly RealOutput[]> {
  const file = readFileSync(new URL("packages.json", import.meta.url), "utf8");
  const packages = JSON.parse(file) as readonly PinnedPackage[];
  const folders = await fetchPackages(packages);
  return packages.flatMap((one, index) => outputsIn(one, folders[index] ?? ""));
}

function outputsIn({ name, version }: PinnedPackage, folder: string): RealOutput[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const large = paths.filter((path) => {
    const file = statSync(join(folder, path));
    return file.isFile() && file.size >= MIN_BYTES;
  });
  return large.map((path) => ({
    name: `${name}@${version}/${path}`,
    kind: kindOf(path),
    load: () => textOf(readFileSync(join(folder, path))),
  }));
}

function kindOf(path: string): string {
  if (path.endsWith(".geo.json")) return "geojson";
  return KINDS[extname(path)] ?? extname(path).slice(1);
}

function textOf(bytes: Buffer): Buffer | string {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : bytes;
}
