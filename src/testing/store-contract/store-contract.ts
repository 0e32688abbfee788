import { byteCases } from "./cases-bytes.js";
import { lifetimeCases } from "./cases-lifetime.js";
import {
  CONTRACT_START_MS,
  type StoreContractTools,
  type StoreFactory,
} from "./contract-artifact.js";

export type { StoreContractTools } from "./contract-artifact.js";

/**
 * Registers the tests that every `ArtifactStore` must pass: bytes come back unchanged, ranges end
 * where the body does, a session sees only its own artifacts, expiry is exact to the millisecond,
 * an artifact is complete or absent, and a damaged record counts as absent.
 * @param name - Name of the suite, such as the store's.
 * @param factory - Creates a fresh store for each test.
 * @param tools - `describe`, `it` and `expect` of the runner.
 */
export function storeContract(
  name: string,
  factory: StoreFactory,
  { describe, it, expect }: StoreContractTools,
): void {
  describe(`store contract: ${name}`, () => {
    for (const [title, run] of Object.entries({ ...byteCases, ...lifetimeCases })) {
      it(title, async () => {
        const clock = { nowMs: CONTRACT_START_MS };
        const underTest = await factory({ now: () => clock.nowMs });
        try {
          await run({ ...underTest, expect, clock });
        } finally {
          await underTest.cleanup();
        }
      });
    }
  });
}
