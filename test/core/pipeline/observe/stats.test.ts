import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { OffloadEvent } from "../../../../src/core/types/events.js";
import { createStats, type StatsCounter } from "../../../../src/core/pipeline/observe/stats.js";
import { contractArtifact } from "../../../../src/testing/store-contract/contract-artifact.js";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const offloaded = (
  sessionKey: string,
  tokens: number,
  descriptorTokens: number,
  id = ID,
): OffloadEvent => ({
  type: "offloaded",
  reason: "threshold of 1600 tokens",
  storedArtifact: { ...contractArtifact(0), id, sessionKey, tokens },
  form: "generic",
  descriptorTokens,
  tokensSaved: tokens - descriptorTokens,
  tokensExact: true,
  durationMs: 1,
});
const drilledIn = (
  sessionKey: string,
  answerTokens: number,
  artifactId?: string,
  otherArtifactIds: readonly string[] = [],
): OffloadEvent => ({
  type: "drilled-in",
  tool: "read_tool_output",
  artifactId,
  otherArtifactIds,
  sessionKey,
  answerTokens,
  failed: false,
  durationMs: 1,
});

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

  it("of all sessions are the sum of those of each", () => {
    type Step = (counter: StatsCounter) => void;
    const sessionKey = fc.constantFrom("a", "b", "c");
    const tokens = fc.nat(100_000);
    const kind = fc.constantFrom("counted", "offloaded", "drilled in");
    const step = fc.tuple(kind, sessionKey, tokens, tokens).map(([what, name, all, left]): Step => {
      if (what === "counted") return (counter) => counter.countOutput(name);
      const event = what === "offloaded" ? offloaded(name, all, left) : drilledIn(name, all);
      return (counter) => counter.listener(event);
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const counter = createStats();
        for (const take of steps) take(counter);
        const parts = ["a", "b", "c"].map((name) => counter.stats(name));
        for (const [name, total] of Object.entries(counter.stats())) {
          const sum = parts.reduce((all, part) => all + Number(Reflect.get(part, name)), 0);
          expect(sum).toBe(total);
        }
      }),
    );
  });
});
