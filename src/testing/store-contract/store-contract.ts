import {
  CONTRACT_START_MS,
  type ContractCases,
  type ContractRun,
  type StoreContractTools,
  type StoreFactory,
} from "./contract-artifact.js";
import { boundaryCases, roundTripCases, writeCases } from "./cases-bytes.js";
import { lifetimeCases, recordCases } from "./cases-lifetime.js";

export type { StoreContractTools } from "./contract-artifact.js";

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
  const groups: Readonly<Record<string, ContractCases>> = {
    "round trip": roundTripCases,
    boundaries: boundaryCases,
    writes: writeCases,
    lifetime: lifetimeCases,
    records: recordCases,
  };
  tools.describe(`store contract: ${name}`, () => {
    for (const [group, cases] of Object.entries(groups)) {
      tools.describe(group, () => {
        for (const [title, run] of Object.entries(cases)) {
          tools.it(title, () => runCase(run, factory, tools));
        }
      });
    }
  });
}

async function runCase(
  run: ContractRun,
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
