import { expect, it } from "vitest";

import { createFold } from "../../src/inspect/data/session-fold.js";

const base = { v: 1, at: 1, durationMs: 1 } as const;
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
  id: "e1",
  type: "offloaded",
  artifact: stored,
  reason: "threshold",
  form: "full",
  descriptorTokens: 10,
  tokensSaved: 90,
  tokensExact: true,
} as const;

it("counts what a tool was given by reference as read, and nothing of it into the context", () => {
  const given = { toolName: "t", parameter: "rows", artifactId: stored.id, sizeBytes: 1000 };
  const fold = createFold();
  fold.add(offloaded, 0);
  fold.add({ ...base, ...given, id: "e2", type: "referenced", failed: true }, 1);
  expect(fold.tools()).toMatchObject([{ neverRead: 1 }]);
  fold.add({ ...base, ...given, id: "e3", type: "referenced", failed: false }, 2);
  expect(fold.tools()).toMatchObject([{ neverRead: 0, tokensRead: 0 }]);
  expect(fold.reads.get(stored.id)).toEqual({ calls: 1, answerTokens: 0 });
  expect(fold.readBy.get(stored.id)).toHaveLength(2);
});
