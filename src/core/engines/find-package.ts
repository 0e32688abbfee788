// A namespace import, because the usual esbuild banner declares `createRequire`, `dirname` and `fileURLToPath`.
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The file of a specifier whose package is not bundled, resolved from this module, the main script and the working
 * directory; `undefined` if none of them finds it.
 */
export function findInstalled(specifier: string): string | undefined {
  // A bundler may remove the URL of this module, or keep that of the build machine.
  const places = [import.meta.url, process.argv[1], join(process.cwd(), "package.json")];
  for (const place of places) {
    try {
      if (place) return nodeModule.createRequire(addressOf(place)).resolve(specifier);
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}

function addressOf(place: string): string {
  return place.startsWith("file:") ? place : pathToFileURL(place).href;
}
