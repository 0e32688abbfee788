import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What helpers have opened for the test file that runs now. */
const undone: (() => unknown)[] = [];

/** Undoes what a helper has opened: test files share its module, so an `afterAll` there would run once. */
export function afterFile(undo: () => unknown): void {
  undone.push(undo);
}

/** The latest first: what stands on another goes before it. */
export async function undoAll(): Promise<void> {
  for (const undo of undone.splice(0).toReversed()) await undo();
}

/** An empty directory, removed after the tests of the file. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "out-"));
  afterFile(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
