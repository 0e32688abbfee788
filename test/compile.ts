import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const TSC = resolve(import.meta.dirname, "../node_modules/typescript-7/bin/tsc");

/** What TypeScript says of a folder that has a `tsconfig.json`, a line each; none where it finds no error. */
export function compile(folder: string): string[] {
  const { stdout, status, error } = spawnSync(process.execPath, [TSC, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (status !== 0 && lines.length === 0) throw new Error(`TypeScript ended with ${status}.`);
  return lines;
}
