import { beforeAll, describe, expect, it } from "vitest";
import { checkAll, faultsOf, type Result } from "./check-all.js";
import { realTexts } from "./real-outputs.js";

const TIMEOUT_MS = 1_800_000;

describe("Descriptors of real outputs", () => {
  let results: readonly Result[] = [];

  beforeAll(async () => {
    results = await checkAll("real", await realTexts());
  }, TIMEOUT_MS);

  it("are those of at least 300 outputs", () => {
    expect(
      results.filter(({ name }) => name.startsWith("real/default/")).length,
    ).toBeGreaterThanOrEqual(300);
  });

  it("say nothing false, and nothing that the oracle does not understand", () => {
    expect(faultsOf(results)).toEqual([]);
  });
});
