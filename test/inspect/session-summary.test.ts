import { expect, it } from "vitest";

import { createCatalogue } from "../../src/inspect/data/catalogue.js";
import { outputDetail, sessionDetail } from "../../src/inspect/data/sessions.js";
import { outputsIn } from "../../src/plugins/journal/reader.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { memoryJournal } from "./memory-journal.js";

const base = { at: 1, durationMs: 1, session: "s" } as const;
const stored = {
  id: "a",
  fileName: "a.json",
  kind: "text",
  layout: "text",
  toolName: "t",
  sizeBytes: 1000,
  lineCount: 1,
  tokens: 100,
  tokensExact: true,
  createdAt: 1,
  expiresAt: 2,
} as const;
const offloaded = {
  ...base,
  type: "offloaded",
  artifact: stored,
  reason: "threshold",
  form: "full",
  descriptorTokens: 10,
  tokensSaved: 90,
  tokensExact: true,
} as const;

it("counts what a tool was given by reference as read", async () => {
  const given = { toolName: "t", parameter: "rows", artifactId: stored.id, sizeBytes: 1000 };
  const journal = memoryJournal();
  const catalogue = createCatalogue("/none", Date.now);
  const sources = { catalogue, journal: journal.reader };
  const neverRead = async () => (await sessionDetail("s", sources)).neverRead;
  journal.add(offloaded);
  journal.add({ ...base, ...given, type: "referenced", failed: true } as never);
  expect(await neverRead()).toBe(1);
  journal.add({ ...base, ...given, type: "referenced", failed: false } as never);
  expect(await neverRead()).toBe(0);
  const all = (await journal.reader.entries("s")).entries;
  expect(outputsIn(all).get("a")).toMatchObject({ reads: 1 });
  const { entries } = await outputDetail(
    { ...contractArtifact(1), ...stored, sessionKey: "s" },
    sources,
  );
  expect(entries?.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  journal.drop(1);
  expect(await neverRead()).toBe(0);
});
