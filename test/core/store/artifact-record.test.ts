import { expect, it } from "vitest";
import {
  decodeRecord,
  decodeRecords,
  encodeRecord,
  withExpiry,
} from "../../../src/core/store/artifact-record.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";

it("leaves out an argument or a parameter that is called as what objects inherit", () => {
  const hostile: Record<string, number> = JSON.parse('{"limit":5,"__proto__":7}');
  const [recipe] = contractArtifact(1).recipes;
  const artifact = contractArtifact(1, {
    args: hostile,
    recipes: recipe ? [{ ...recipe, params: hostile }] : [],
  });
  const kept = { args: { limit: 5 }, recipes: [{ ...recipe, params: { limit: 5 } }] };
  const { text } = encodeRecord(artifact);
  expect(JSON.parse(text)).toMatchObject(kept);
  expect(text).not.toContain("__proto__");
  const stored = JSON.stringify({ ...JSON.parse(text), args: hostile });
  expect(stored).toContain("__proto__");
  expect(JSON.stringify(decodeRecord(stored)?.record)).not.toContain("__proto__");
});

it("takes a damaged record for none, and reads those after it", async () => {
  const { record, text } = encodeRecord(contractArtifact(1));
  const damaged = ["{", JSON.stringify({ ...record, kind: "of a time to come" })];
  expect(damaged.map(decodeRecord)).toEqual([undefined, undefined]);
  expect(await decodeRecords([...damaged, text])).toEqual([record]);
});

it("keeps a field of another version when its expiry moves", () => {
  const text = JSON.stringify({ ...contractArtifact(1), of_another_version: { deep: [1, "two"] } });
  const moved: unknown = JSON.parse(withExpiry(text, 7));
  expect(moved).toMatchObject({ expiresAt: 7, of_another_version: { deep: [1, "two"] } });
});
