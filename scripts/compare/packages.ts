import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the tool was given is wrong: one sentence, and no fault of a version. */
export class BadInput extends Error {}

/** The commit before the net: what is compared with where nothing else is given. */
const BASELINE = "7812ca8b";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Inside of `node_modules`, so that both versions find the same dependencies around them. */
const CACHE = join(ROOT, "node_modules/.cache/compare");

/** A new folder that both versions are unpacked in. */
export function workFolder(): string {
  mkdirSync(CACHE, { recursive: true });
  return mkdtempSync(join(CACHE, "run-"));
}

/** Unpacks a packed version of this library into a folder, and says where it is. */
export function unpack(tarball: string, folder: string): string {
  if (!existsSync(tarball)) throw new BadInput(`${tarball} does not exist.`);
  if (!statSync(tarball).isFile()) throw new BadInput(`${tarball} is no file.`);
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync("tar", ["-xzf", tarball, "-C", folder]);
  if (status !== 0) throw new BadInput(`${tarball} is no package: it is no gzipped tar file.`);
  const place = join(folder, "package");
  const manifest = join(place, "package.json");
  if (!existsSync(manifest))
    throw new BadInput(`${tarball} is no package: it has no package.json.`);
  let name: unknown;
  try {
    ({ name } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly name?: unknown });
  } catch {
    throw new BadInput(`${tarball} is no package: its package.json is no JSON.`);
  }
  if (name !== "langchain-offload")
    throw new BadInput(`${tarball} is a package of ${String(name)}.`);
  if (!existsSync(join(place, "dist")))
    throw new BadInput(`${tarball} was packed without a build.`);
  return place;
}

/** The packed baseline: built from its commit with its own dependencies, when it is not there yet. */
export function baseline(): string {
  const packed = join(CACHE, `baseline-${BASELINE}.tgz`);
  if (existsSync(packed)) return packed;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "offload-baseline-"));
  const tree = join(folder, "tree");
  try {
    run("git", ["worktree", "add", "--detach", tree, BASELINE], ROOT);
    run("npm", ["ci", "--no-audit", "--no-fund"], tree);
    run("npm", ["run", "build"], tree);
    const told = run(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      tree,
    );
    const [{ filename } = { filename: "" }] = JSON.parse(told) as readonly { filename: string }[];
    const made = join(CACHE, `${process.pid}.tgz`);
    run("cp", [join(folder, filename), made], ROOT);
    renameSync(made, packed);
    return packed;
  } finally {
    spawnSync("git", ["worktree", "remove", "--force", tree], { cwd: ROOT });
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new BadInput(
    `The baseline ${BASELINE} cannot be built: ${command} ${args[0] ?? ""} said ${(stderr || stdout).trim().slice(-300)}`,
  );
}
