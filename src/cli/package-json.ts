import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What this program needs to know of its own package. */
export interface PackageJson {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The package's own `package.json`. */
export function packageJson(): PackageJson {
  // By its name: where this module is in the build says nothing of where the package begins.
  const path = createRequire(import.meta.url).resolve("langchain-offload/package.json");
  const parsed: PackageJson = JSON.parse(readFileSync(path, "utf8"));
  return parsed;
}
