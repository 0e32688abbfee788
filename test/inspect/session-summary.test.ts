import { expect, it } from "vitest";

import { createCatalogue } from "../../src/inspect/data/catalogue.js";
import { createEntries } from "../../src/inspect/data/session-summary.js";
import { outputDetail, sessionDetail } from "../../src/inspect/data/sessions.js";
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

it("counts what a tool was given by reference as read, and nothing of it into the context", async () => {
  const given = { toolName: "t", parameter: "rows", artifactId: stored.id, sizeBytes: 1000 };
  const journal = memoryJournal();
  const catalogue = createCatalogue("/none", Date.now);
  const readEntries = createEntries(journal.reader);
  const sources = { catalogue, journal: journal.reader, readEntries };
  const tools = async () => (await sessionDetail("s", sources)).shares;
  journal.add(offloaded);
  journal.add({ ...base, ...given, type: "referenced", failed: true } as never);
  expect(await tools()).toMatchObject([{ neverRead: 1 }]);
  journal.add({ ...base, ...given, type: "referenced", failed: false } as never);
  expect(await tools()).toMatchObject([{ neverRead: 0, tokensRead: 0 }]);
  const { entries } = await outputDetail(
    { ...contractArtifact(1), ...stored, sessionKey: "s" },
    sources,
  );
  expect(entries?.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  journal.drop(1);
  expect(await tools()).toMatchObject([]);
});
