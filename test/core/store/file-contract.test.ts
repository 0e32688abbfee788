import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../../src/core/store/file/index.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";

for (const [name, options] of [
  ["file", {}],
  ["file, a folder a session, with fsync", { folders: "session", fsync: true }],
] as const) {
  storeContract(
    name,
    async ({ now }) => {
      const root = await mkdtemp(join(tmpdir(), "store-test-"));
      const directory = join(root, "outputs");
      return {
        store: fileStore({ directory, ...options, now }),
        cleanup: () => rm(root, { recursive: true }),
      };
    },
    { describe, it, expect },
  );
}
