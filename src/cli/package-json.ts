import { readFileSync } from "node:fs";

/** What this program needs to know of its own package. */
export interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The package's own `package.json`. */
export function packageJson(): PackageJson {
  const url = new URL("../../package.json", import.meta.url);
  const parsed: PackageJson = JSON.parse(readFileSync(url, "utf8"));
  return parsed;
}
