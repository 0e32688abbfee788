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
  it("say what nobody has read, until a drill-in or a reference reads it", () => {
    const counter = createStats();
    const unread = (sessionKey?: string): readonly number[] => {
      const { outputsNeverRead, neverReadTokens } = counter.stats(sessionKey);
      return [outputsNeverRead, neverReadTokens];
    };
    counter.listener(offloaded("a", 10_000, 400));
    counter.listener(offloaded("a", 10_000, 400));
    counter.listener(drilledIn("a", 20));
    for (const one of ["a", undefined]) expect(unread(one)).toEqual([2, 20_000]);
    // A fork of the conversation reads it in a session of its own.
    counter.listener(drilledIn("fork", 20, ID));
    for (const one of ["a", "fork", undefined]) expect(unread(one)).toEqual([0, 0]);
    counter.listener(offloaded("a", 10_000, 400, "joined"));
    counter.listener(drilledIn("a", 20, ID, ["joined"]));
    expect(unread("a")).toEqual([0, 0]);
    counter.listener(offloaded("a", 10_000, 400));
    counter.listener({
      type: "referenced",
      toolName: "t",
      parameter: "rows",
      artifactId: ID,
      sessionKey: "a",
      sizeBytes: 1,
      failed: false,
      durationMs: 1,
    });
    expect(unread("a")).toEqual([0, 0]);
  });

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

  it("S18: are never below zero in a session that was dropped, and count what came after it", () => {
    const counter = createStats();
    const shows = (definitionTokens: number): void =>
      counter.listener({ type: "tools-shown", sessionKey: "a", definitionTokens });
    const counts = (sessionKey?: string): readonly number[] => {
      const { outputsNeverRead, neverReadTokens, definitionTokens } = counter.stats(sessionKey);
      return [outputsNeverRead, neverReadTokens, definitionTokens];
    };
    shows(500);
    counter.listener(offloaded("a", 2_001, 400));
    for (let sessionKey = 0; sessionKey < 1000; sessionKey += 1)
      counter.countOutput(`${sessionKey}`);
    counter.listener(offloaded("a", 3_000, 400, "other"));
    shows(300);
    expect([counts("a"), counts()]).toEqual([
      [1, 3_000, 300],
      [2, 5_001, 300],
    ]);
    counter.listener(drilledIn("a", 20, ID));
    expect([counts("a"), counts()]).toEqual([
      [1, 3_000, 300],
      [1, 3_000, 300],
    ]);
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

describe("definitions of tools", () => {
  it("are counted once for each session, however many others there are in between", () => {
    const counter = createStats();
    for (const round of [1, 2]) {
      for (let session = 0; session < 1_100; session += 1) {
        counter.listener({ type: "tools-shown", sessionKey: `s${session}`, definitionTokens: 500 });
      }
      expect(counter.stats().definitionTokens, `round ${round}`).toBe(550_000);
    }
    expect(counter.shownTokens("s0")).toBe(500);
  });
});
