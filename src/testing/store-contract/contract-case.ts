import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";

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
  /**
   * Changes the JSON text that the store keeps of an artifact. Without it the cases of damaged records are left out.
   */
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

/** One rule of the contract. */
export interface ContractCase {
  readonly title: string;
  readonly run: (context: CaseContext) => Promise<void>;
}
