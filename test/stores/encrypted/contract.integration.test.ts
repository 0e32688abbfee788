import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { openableStores } from "../../core/store/opened-stores.js";

const keys = { current: { id: "2026-01", key: randomBytes(32) } };

for (const [name, available, open] of await openableStores()) {
  storeContract(
    `encrypted ${name}`,
    async (clock) => {
      const medium = await open();
      return {
        ...medium,
        store: encrypted(medium.store(clock), keys),
        cleanup: async () => undefined,
      };
    },
    { describe, it: it.skipIf(!available), expect },
  );
}
