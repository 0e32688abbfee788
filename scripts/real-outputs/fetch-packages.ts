import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A package of one exact version, and what is taken of it. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** Hash of the tarball, as the registry states it: `sha512-` and base64. */
  readonly integrity: string;
  /** Paths in the package; `*` stands for any part of one name. */
  readonly files: readonly string[];
}

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/real-outputs", import.meta.url));
const run = promisify(execFile);

/**
 * Where the files of each package are. One that is not there yet is fetched by `npm pack`, and unpacked when its hash is the
 * one stated. Rejects when a package cannot be fetched, or is another than was pinned.
 */
export async function fetchPackages(
  packages: readonly PinnedPackage[],
  cache: string = CACHE,
): Promise<readonly string[]> {
  const folders = packages.map((one) => join(cache, folderOf(one)));
  const missing = packages.filter((_, index) => !existsSync(folders[index] ?? ""));
  if (missing.length > 0) {
    mkdirSync(cache, { recursive: true });
    const work = mkdtempSync(join(cache, "fetching-"));
    try {
      await fetchInto(work, missing, cache);
    } finally {
      rmSync(work, { recursive: true });
    }
  }
  return folders;
}

async function fetchInto(
  work: string,
  packages: readonly PinnedPackage[],
  cache: string,
): Promise<void> {
  const files = await packed(work, packages);
  for (const [index, one] of packages.entries()) {
    const tarball = join(work, files[index] ?? "");
    const hash = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    if (`sha512-${hash}` !== one.integrity) {
      throw new Error(
        `${specOf(one)} is not the package that was pinned: its hash is sha512-${hash}, not ${one.integrity}.`,
      );
    }
    const unpacked = join(work, String(index));
    mkdirSync(unpacked);
    const taken = await takenOf(tarball, one);
    await run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1", ...taken]);
    const folder = join(cache, folderOf(one));
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(unpacked, folder);
  }
}

/** Members of a tarball that are taken: the rest of the packages would be six times as much. */
async function takenOf(tarball: string, one: PinnedPackage): Promise<string[]> {
  const { stdout } = await run("tar", ["-tzf", tarball], { maxBuffer: 2 ** 26 });
  const members = stdout.split("\n");
  return one.files.flatMap((pattern) => {
    const parts = pattern.split("*").map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, "\\$&"));
    const matching = new RegExp(`^[^/]+/${parts.join("[^/]*")}$`);
    const found = members.filter((member) => matching.test(member));
    if (found.length === 0) throw new Error(`${specOf(one)} has no file ${pattern}.`);
    return found;
  });
}

/** Names of the tarballs that npm has fetched, in the order of the packages. */
async function packed(work: string, packages: readonly PinnedPackage[]): Promise<string[]> {
  const specs = packages.map((one) => specOf(one));
  try {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", work, ...specs];
    const { stdout } = await run("npm", args, { cwd: work, maxBuffer: 2 ** 28 });
    const told = JSON.parse(stdout) as readonly {
      readonly id: string;
      readonly filename: string;
    }[];
    return specs.map(
      (spec) => told.find(({ id }) => id === spec)?.filename ?? `no file of ${spec}`,
    );
  } catch (error) {
    const said = String(Reflect.get(Object(error), "stderr") ?? error);
    const reason = said.split("\n").find((line) => /^npm err(?!\w* code)/i.test(line)) ?? said;
    throw new Error(`npm could not fetch one of ${specs.join(", ")}: ${reason.trim()}`, {
      cause: error,
    });
  }
}

function specOf({ name, version }: PinnedPackage): string {
  return `${name}@${version}`;
}

/** With a hash of what is pinned, so that what is pinned anew is fetched anew. */
function folderOf({ name, version, integrity, files }: PinnedPackage): string {
  const pinned = JSON.stringify([integrity, files]);
  const hash = createHash("sha256").update(pinned).digest("hex").slice(0, 12);
  return `${name.replaceAll("/", "+")}@${version}-${hash}`;
}
