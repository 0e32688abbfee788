import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

/** Makes empty directories and removes them after each test. */
export function temporaryDirectories(): () => Promise<string> {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
  });
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "store-test-"));
    directories.push(directory);
    return directory;
  };
}
