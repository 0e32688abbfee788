import { byteCases } from "./cases-bytes.js";
import { lifetimeCases } from "./cases-lifetime.js";
import {
  CONTRACT_SESSION,
  CONTRACT_START_MS,
  rejectionCode,
  type StoreContractTools,
  type StoreFactory,
} from "./contract-artifact.js";

export type { StoreContractTools } from "./contract-artifact.js";

/**
 * Registers the tests that every `ArtifactStore` must pass: bytes come back unchanged, ranges end
 * where the body does, a session sees only its own artifacts, expiry is exact to the millisecond,
 * and an artifact is complete or absent.
 * @param name - Name of the suite, such as the store's.
 * @param factory - Creates a fresh store for each test.
 * @param tools - `describe`, `it` and `expect` of the runner.
 */
export function storeContract(
  name: string,
  factory: StoreFactory,
  { describe, it, expect }: StoreContractTools,
): void {
  const same = (found: unknown, expected: unknown): void => void expect(found).toEqual(expected);
  describe(`store contract: ${name}`, () => {
    for (const [title, run] of Object.entries({ ...byteCases, ...lifetimeCases })) {
      it(title, async () => {
        const clock = { nowMs: CONTRACT_START_MS };
        const underTest = await factory({ now: () => clock.nowMs });
        const { store, cleanup } = underTest;
        try {
          await run({
            ...underTest,
            clock,
            same,
            ends: async (promise, code) => same(await rejectionCode(promise), code),
            stat: ({ id, sessionKey }) => store.stat(id, sessionKey),
            // Matchers would compare millions of elements one by one.
            reads: async (artifact, body, range) =>
              same(Buffer.compare(await store.read(artifact, range), body), 0),
            lists: async (...artifacts) =>
              same((await store.list(CONTRACT_SESSION)).artifacts, artifacts),
          });
        } finally {
          await cleanup();
        }
      });
    }
  });
}
