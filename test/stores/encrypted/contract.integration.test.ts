import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { openableStores } from "../../core/store/opened-stores.js";

const keys = { current: { id: "2026-01", key: randomBytes(32) } };

// What each store below keeps of it stands in nothing-in-plain.integration.test.ts.
const [[, , openFiles] = []] = (await openableStores()).filter(([name]) => name === "files");

storeContract(
  "encrypted files",
  async (clock) => {
    const { store, ...medium } = await openFiles!();
    return { ...medium, store: encrypted(store(clock), keys), cleanup: async () => undefined };
  },
  { describe, it, expect },
);
