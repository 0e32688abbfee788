import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { sqliteStore } from "../../examples/08-own-store/sqlite-store.js";
import { storeContract } from "../../src/testing/store-contract/store-contract.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";

const makeDirectory = temporaryDirectories();

storeContract(
  "the example's store in SQLite",
  async ({ now }) => ({
    store: sqliteStore(join(await makeDirectory(), "outputs.db"), now),
    cleanup: async () => undefined,
  }),
  { describe, it, expect },
);
