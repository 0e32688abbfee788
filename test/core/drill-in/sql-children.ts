import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect } from "vitest";

/** Of offloaders that files before this one have left to their idle time. */
let others: ReadonlySet<number> = new Set();

/** Processes of SQL that this test file has started. */
export function children(): number[] {
  return processes().filter((pid) => !others.has(pid));
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return status.includes(`PPid:\t${process.pid}\n`) && command.includes("sql-worker");
      } catch {
        return false;
      }
    })
    .map(Number);
}

/**
 * Makes the temporary files of a test file's processes in a folder of its own, and counts none of the processes that are there
 * already: whatever else runs on this machine makes its files elsewhere.
 */
export function ownTemporaryFolder(): string {
  others = new Set(processes());
  const usual = process.env["TMPDIR"];
  const folder = mkdtempSync(join(tmpdir(), "sql-children-"));
  process.env["TMPDIR"] = folder;
  afterAll(() => {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Folders for files of the processes that are there now, of those of {@link ownTemporaryFolder}. */
export function spoolFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("langchain-offload-sql-"));
}

/** Waits until something is so, however long a busy machine takes. */
export async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 100_000 }).toBe(true);
}
