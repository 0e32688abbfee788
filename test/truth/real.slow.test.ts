import { beforeAll, describe, expect, it } from "vitest";
import { checkAll, knownClaims, ofGroup, type Result, summed } from "./known.js";
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

  it("say nothing false but what is listed in known-false.json, which has nothing else", () => {
    expect(summed("real", results).wrong).toEqual(ofGroup("real", knownClaims()).wrong);
  });

  it("say nothing that the oracle does not understand, but what is listed", () => {
    const { notUnderstood, notChecked } = ofGroup("real", knownClaims());
    expect(summed("real", results).notUnderstood).toEqual(notUnderstood);
    expect(summed("real", results).notChecked).toEqual(notChecked);
  });
});
