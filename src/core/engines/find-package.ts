// A namespace import, because the usual esbuild banner declares `createRequire`, `dirname` and `fileURLToPath`.
import * as nodeModule from "node:module";
import { join } from "node:path";

/** Resolves an unbundled package from this module, the main script and the working directory. */
export function findInstalled(specifier: string): string | undefined {
  // A bundler may remove or freeze the URL of this module.
  const places = [import.meta.url, process.argv[1], join(process.cwd(), "package.json")];
  for (const place of places) {
    try {
      if (place) return nodeModule.createRequire(place).resolve(specifier);
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}
