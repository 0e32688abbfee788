import { expect, it } from "vitest";

import { boundedRedact } from "../../../src/core/content/redact/bounded-redact.js";

const part = { toolName: "t", part: "output" } as const;

it("waits a bounded time for what a redact function promises", async () => {
  const silent = boundedRedact(() => new Promise(() => {}), 5);
  await expect(silent("a text", part)).rejects.toThrow("within 5 ms");
  expect(boundedRedact(() => "at once", 5)("a text", part)).toBe("at once");
});
