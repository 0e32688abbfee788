import { CONTRACT_START_MS } from "./contract-artifact.js";
import type { ContractCase, StoreContractTools, StoreFactory } from "./contract-case.js";
import { boundaryCases } from "./boundaries.js";
import { lifetimeCases } from "./lifetime.js";
import { roundTripCases } from "./round-trip.js";
import { recordCases } from "./records.js";
import { writeCases } from "./writes.js";

export type { StoreContractTools, StoreFactory } from "./contract-case.js";

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
  tools: StoreContractTools,
): void {
  const groups: readonly (readonly [string, readonly ContractCase[]])[] = [
    ["round trip", roundTripCases],
    ["boundaries", boundaryCases],
    ["writes", writeCases],
    ["lifetime", lifetimeCases],
    ["records", recordCases],
  ];
  tools.describe(`store contract: ${name}`, () => {
    for (const [group, cases] of groups) {
      tools.describe(group, () => {
        for (const { title, run } of cases) {
          tools.it(title, () => runCase(run, factory, tools));
        }
      });
    }
  });
}

async function runCase(
  run: ContractCase["run"],
  factory: StoreFactory,
  { expect }: StoreContractTools,
): Promise<void> {
  const clock = { nowMs: CONTRACT_START_MS };
  const underTest = await factory({ now: () => clock.nowMs });
  try {
    await run({ ...underTest, expect, clock });
  } finally {
    await underTest.cleanup();
  }
}
