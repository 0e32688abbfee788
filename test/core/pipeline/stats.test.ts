import { describe, expect, it } from "vitest";

import { createStats } from "../../../src/core/pipeline/observe/stats.js";

describe("running totals", () => {
  it("keep 1,000 sessions, and drop the one not counted for longest", () => {
    const counter = createStats();
    const seen = (sessionKey: string): number => counter.stats(sessionKey).outputsSeen;
    for (let sessionKey = 0; sessionKey < 1000; sessionKey += 1)
      counter.countOutput(`${sessionKey}`);
    counter.countOutput("0");
    expect([seen("0"), seen("1")]).toEqual([2, 1]);
    counter.countOutput("1000");
    expect([seen("0"), seen("1"), seen("2"), seen("1000")]).toEqual([2, 0, 1, 1]);
    expect(counter.stats().outputsSeen).toBe(1002);
  });

  it("count the definitions of a session that was dropped and comes again once", () => {
    const counter = createStats();
    const asked = Array.from({ length: 2002 }, (_, index) => `${index % 1001}`);
    for (const sessionKey of asked)
      counter.listener({ type: "tools-shown", sessionKey, definitionTokens: 10 });
    expect(counter.stats().definitionTokens).toBe(10_000);
    expect(counter.stats().netSavedTokens).toBe(-10_000);
  });
});
