// Not by name: the banner that most people give esbuild declares `createRequire`, `dirname` and `fileURLToPath`.
import * as nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The file that a specifier names, of a package that stays outside of a bundle: looked for from this module, from the
 * script that was started and from the working directory; `undefined` when it is in none of their `node_modules`.
 */
export function findInstalled(specifier: string): string | undefined {
  // A bundler may have left no address of this module, or that of the machine that built it.
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
