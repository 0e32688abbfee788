import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The files of the page, by the path of their address: no other file is ever opened. */
const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
  "/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/page.css": ["page.css", "text/css; charset=utf-8"],
};

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of the page, each read once.
 *
 * @param directory - Where the build has put them.
 */
export function createAssets(directory: string): (path: string) => Promise<Asset | undefined> {
  const read = new Map<string, Promise<Asset>>();
  return async (path) => {
    const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (file === undefined) return undefined;
    const [name, type] = file;
    const asset =
      read.get(path) ?? readFile(join(directory, name)).then((bytes): Asset => ({ type, bytes }));
    read.set(path, asset);
    return await asset;
  };
}
