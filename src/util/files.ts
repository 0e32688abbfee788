import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Node's own `recursive` never returns when the parent exists but allows no new entries, as in `/proc`. */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeOne(directory);
  } catch (error) {
    const parent = resolve(directory, "..");
    if (codeOf(error) !== "ENOENT" || parent === resolve(directory)) throw error;
    await makeDirectory(parent);
    await makeOne(directory);
  }
}

async function makeOne(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
