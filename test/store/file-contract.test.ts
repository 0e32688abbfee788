import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../src/store/file.js";
import { storeContract } from "../../src/testing/store-contract.js";

for (const fsync of [false, true]) {
  storeContract(
    fsync ? "file, with fsync" : "file",
    async ({ now }) => {
      const root = await mkdtemp(join(tmpdir(), "store-test-"));
      const directory = join(root, "outputs");
      return {
        store: fileStore({ directory, fsync, now }),
        cleanup: () => rm(root, { recursive: true }),
        failWrites: async () => {
          await writeFile(directory, "in the way");
          return () => rename(directory, join(root, "aside"));
        },
      };
    },
    { describe, it, expect },
  );
}
