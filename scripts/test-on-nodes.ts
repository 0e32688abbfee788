/**
 * Runs the unit and integration tests on other versions of Node, which come as packages of the registry: `npm run test:nodes`, or
 * `npm run test:nodes -- 22.23.3 test/core/drill-in` for one of them and some tests. One that fails, fails the whole.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** The oldest that the package says it runs on, and the newest of the lines that are kept alive. */
const VERSIONS = ["20.19.0", "22.23.3", "24.21.0"];

const given = process.argv.slice(2);
const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+$/.test(text);
const versions = given.some(isVersion) ? given.filter(isVersion) : VERSIONS;
const tests = given.filter((argument) => !isVersion(argument));

const folder = mkdtempSync(join(tmpdir(), "offload-nodes-"));
const failed: string[] = [];
try {
  for (const version of versions) {
    const name = `node-${process.platform}-${process.arch}`;
    const home = join(folder, version);
    run("npm", [
      "install",
      "--prefix",
      home,
      "--ignore-scripts",
      "--no-save",
      `${name}@${version}`,
    ]);
    const path = join(home, "node_modules", name, "bin");
    console.log(`Node ${version}`);
    const vitest = ["vitest", "run", "--project", "unit", "--project", "integration", ...tests];
    const env = { ...process.env, PATH: `${path}${delimiter}${process.env["PATH"]}` };
    if (run("npx", vitest, env) !== 0) failed.push(version);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failed.length === 0 ? `Green on ${versions.join(", ")}` : `Failed on ${failed.join()}`);
if (failed.length > 0) process.exitCode = 1;

function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  return spawnSync(file, args, { env, stdio: "inherit" }).status ?? 1;
}
