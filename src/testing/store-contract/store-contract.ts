import type { StoredArtifact } from "../../core/types/artifact.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { byteCases } from "./cases-bytes.js";
import { lifetimeCases } from "./cases-lifetime.js";
import { CONTRACT_START_MS } from "./contract-artifact.js";

/** The matchers that the contract uses, as vitest and jest have them. */
interface ContractMatchers {
  toBe(expected: unknown): unknown;
  toEqual(expected: unknown): unknown;
}

/** The test runner's functions: vitest's or jest's as they are, or thin wrappers of another's. */
export interface StoreContractTools {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
  readonly expect: (actual: unknown) => ContractMatchers;
}

/** A store for one test, empty and independent of every other. */
interface StoreUnderTest {
  readonly store: ArtifactStore;
  /** Called after the test, also when it failed. */
  readonly cleanup: () => Promise<void>;
  /** Makes every write fail until the returned function is called. Without it that case is left out. */
  readonly failWrites?: () => Promise<() => Promise<void>>;
  /** Changes the JSON text that the store keeps of an artifact. Without it the cases of damaged records are left out. */
  readonly rewriteRecord?: (
    artifact: StoredArtifact,
    change: (text: string) => string,
  ) => Promise<void>;
}

/** Makes the store of one test. The store takes the time from `clock`, which the tests move. */
export type StoreFactory = (clock: { readonly now: () => number }) => Promise<StoreUnderTest>;

/** What a case gets: the store, the expectations, and a clock to move. */
export interface CaseContext extends StoreUnderTest {
  readonly expect: StoreContractTools["expect"];
  readonly clock: { nowMs: number };
}

/** Rules of the contract by their titles. */
export type ContractCases = Readonly<Record<string, (context: CaseContext) => Promise<void>>>;

/**
 * Registers the tests that every `ArtifactStore` passes: bytes come back as they went in, ranges
 * end where the body does, a session sees only its own artifacts, expiry is exact to the
 * millisecond, an artifact is complete or absent, and a damaged record is as good as none.
 *
 * @param name - Name of the suite, such as the store's.
 * @param factory - Makes a fresh store for each test.
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
