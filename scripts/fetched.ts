/** Packages that one script, page or example needs: `npm ci` does not bring them, who needs them fetches them. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folders of `scripts/fetched`: `npm install --package-lock-only --omit-lockfile-registry-resolved` in one locks it. */
type FetchedName = "deno" | "page-clients" | "pglite";

const PINNED = join(import.meta.dirname, "fetched");
const CACHE = join(import.meta.dirname, "../node_modules/.cache/fetched");

/**
 * The `node_modules` of a folder of `scripts/fetched`, whose lockfile says exactly what is in it. What is not in the cache
 * yet is fetched, with one line that says so. Peers are those of this repository, which are around the cache.
 *
 * @throws When npm cannot fetch it; the message says why.
 */
export function fetched(name: FetchedName): string {
  const pinned = join(PINNED, name);
  const lock = readFileSync(join(pinned, "package-lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(CACHE, `${name}-${hash}`);
  if (!existsSync(folder)) fetchInto(folder, name, pinned);
  return join(folder, "node_modules");
}

function fetchInto(folder: string, name: string, pinned: string): void {
  console.error(`Fetching ${name}, once: it is kept in node_modules/.cache.`);
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, "fetching-"));
  try {
    cpSync(pinned, work, { recursive: true });
    const options = ["--ignore-scripts", "--omit=peer", "--prefer-offline", "--no-audit"];
    const npm = spawnSync("npm", ["ci", ...options], { cwd: work, encoding: "utf8" });
    if (npm.status !== 0) {
      const said = npm.error?.message ?? npm.stderr;
      throw new Error(`npm could not fetch ${name}, which is not part of npm ci: ${said.trim()}`);
    }
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches, and links what `package.json` names into the `node_modules` of another folder, which it returns by name. */
export function linkFetched(name: FetchedName, folder: string): string[] {
  const from = fetched(name);
  const { dependencies }: { readonly dependencies: object } = JSON.parse(
    readFileSync(join(PINNED, name, "package.json"), "utf8"),
  );
  for (const dependency of Object.keys(dependencies)) {
    const link = join(folder, "node_modules", dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(from, dependency), link);
  }
  return Object.keys(dependencies);
}

/** What `fetch` gives; `undefined`, and said, where nothing can be fetched, which CI does not accept. */
export function fetchedOrSkipped<T>(fetch: () => T): T | undefined {
  try {
    return fetch();
  } catch (error) {
    if (process.env["CI"]) throw error;
    console.warn(`Skipped: ${String(error).slice(0, 500)}`);
    return undefined;
  }
}

/** The program of Deno, in the version that the notebooks were run with. */
export function denoPath(): string {
  return createRequire(import.meta.url)(join(fetched("deno"), "deno/install_api.cjs")).runInstall();
}
