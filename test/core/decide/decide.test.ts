import { describe, expect, it, afterEach } from "vitest";
import { argumentLimit } from "../../../src/core/decide/gates/argument-limit.js";
import { contextShare } from "../../../src/core/decide/gates/context-share.js";
import { type DecideContext, smallestLimits } from "../../../src/core/decide/gate.js";
import { headroom } from "../../../src/core/decide/gates/headroom.js";
import { threshold } from "../../../src/core/decide/gates/threshold.js";
import { isSelected } from "../../../src/core/decide/selector.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import type { ToolOutput, BudgetSlot } from "../../../src/core/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { createTurns, type Turns } from "../../../src/core/decide/turn/turn-barrier.js";

describe("gates", () => {
  function context(given: Partial<DecideContext> = {}): DecideContext {
    return { toolName: "search", args: {}, outputBytes: () => 100_000, ...given };
  }
  const share = { minBytes: 4096, maxBytes: 1_048_576, onWarning: () => {} };

  describe("context share gate", () => {
    const bytesAt = (fraction: number, contextWindowTokens: number): number | undefined =>
      contextShare({ ...share, fraction })(context({ contextWindowTokens }))?.bytes;

    it("is the floor at 0 and the whole window, up to the ceiling, at 1", () => {
      expect(bytesAt(0, 128_000)).toBe(4096);
      expect(bytesAt(1, 128_000)).toBe(512_000);
      expect(bytesAt(1, 1_000_000)).toBe(1_048_576);
    });

    it("assumes a window when none is known, and says so once", () => {
      const warnings: string[] = [];
      const onWarning = (text: string): void => void warnings.push(text);
      const gate = contextShare({ ...share, fraction: 0.25, onWarning });
      expect(gate(context())?.bytes).toBe(128_000);
      gate(context());
      expect(warnings).toEqual([
        "The model's context window is not known; 128000 tokens are assumed. Set contextWindowTokens to be exact.",
      ]);
    });

    it("refuses a floor above the ceiling", () => {
      expect(() => contextShare({ fraction: 0.5, minBytes: 2, maxBytes: 1 })).toThrow("at most");
    });
  });

  it("headroom has no opinion without a conversation, and assumes a window", () => {
    const gate = headroom({ fraction: 0.7 });
    expect(gate(context({ conversationTokens: 5 }))?.tokens).toBe(89_595);
    expect(gate(context({ contextWindowTokens: 5 }))).toBeUndefined();
  });

  it("an argument that is no limit is passed over", () => {
    const gate = argumentLimit("inline_threshold_bytes", threshold({ bytes: 8192 }));
    for (const given of [undefined, null, -1, 1.5, "many", "", Number.NaN, {}])
      expect(gate(context({ args: { inline_threshold_bytes: given } }))?.bytes).toBe(8192);
  });

  describe("smallestLimits", () => {
    it("keeps the smallest of each unit with its reason, the first of equals", () => {
      const gates = [
        threshold({ tokens: 9 }),
        threshold({ bytes: 80 }),
        () => undefined,
        () => ({ tokens: 5, reason: "first" }),
        () => ({ tokens: 5, reason: "second" }),
      ];
      const ofBytes = { bytes: 80, bytesReason: "threshold of 80 bytes" };
      expect(smallestLimits(gates, context())).toEqual({
        tokens: 5,
        tokensReason: "first",
        ...ofBytes,
      });
      expect(smallestLimits([], context())).toEqual({});
    });

    it("needs no reason, without which nothing would be stored, and ignores what is no number", () => {
      expect(smallestLimits([() => ({ tokens: 5 })], context())).toEqual({
        tokens: 5,
        tokensReason: "a gate",
      });
      for (const tokens of [null, Number.NaN, "5"])
        expect(smallestLimits([() => ({ tokens: tokens as never })], context())).toEqual({});
    });
  });
});

describe("selectors", () => {
  type Selection = Pick<OffloadOptions, "include" | "exclude">;

  const by = (
    toolName: string,
    { include, exclude }: Selection = {},
    rest: Partial<ToolOutput> = {},
  ): boolean => isSelected({ toolName, value: "", sessionId: "s", ...rest }, { include, exclude });

  describe("the tools that take part", () => {
    const isDb = ({ toolName }: ToolOutput): boolean => toolName.startsWith("db_");
    it.each<[string, Selection | undefined, boolean]>([
      ["search", undefined, true],
      ["search", {}, true],
      ["search", { include: ["search"] }, true],
      ["other", { include: ["search"] }, false],
      ["search", { include: [] }, false],
      ["db_query", { include: isDb }, true],
      ["search", { include: isDb }, false],
      ["search", { include: ["search"], exclude: ["search"] }, false],
      ["db_query", { exclude: isDb }, false],
      ["other", { exclude: ["search"] }, true],
    ])("of %s with %j: exclude wins over include", (toolName, selection, isTaken) => {
      expect(by(toolName, selection)).toBe(isTaken);
    });
  });

  const opened = openedOffloaders();
  const large = Array.from({ length: 900 }, (_, id) => ({ id, name: `record ${id}` }));

  describe("a selector that fails", () => {
    const rule = (): boolean => {
      throw new Error("no rule");
    };
    const promised = (async () => Promise.reject(new Error("late"))) as unknown as () => boolean;

    it.each<[string, Selection]>([
      ["`include` throws", { include: rule }],
      ["`include` gives a promise", { include: promised }],
      ["`exclude` gives a promise", { exclude: promised }],
    ])("because %s leaves the output alone and says so", async (_, selection) => {
      const { offloader, events } = opened(selection);
      const result = await offloader.offload({ toolName: "search", value: large, sessionId: "s" });
      expect(result).toEqual({ outcome: "inline", value: large });
      expect(events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
    });

    it("is refused when it is neither names nor a function", () => {
      const wrong = { exclude: { metadata: { reader: "code" } } } as unknown as Selection;
      expect(() => opened(wrong)).toThrow(/at exclude/);
    });
  });
});

describe("meeting of a turn", () => {
  const asking = (tokens: number) => ({ tokens, budgetTokens: 1000 });
  let turns: Turns = createTurns();
  afterEach(() => {
    turns.close();
    turns = createTurns();
  });

  /** Seats for so many calls of one turn. */
  function sit(begun: number, calls = begun, key: object = {}): readonly BudgetSlot[] {
    return Array.from({ length: begun }, (_, position) => {
      const slot = turns.join(key, { callId: `call_${position}`, position, calls });
      if (slot === undefined) throw new Error("There is no slot.");
      return slot;
    });
  }

  it("does not wait for one whose signal aborts, and its share stays its own", async () => {
    const abort = new AbortController();
    const key = {};
    const slot = (callId: string, signal?: AbortSignal) =>
      turns.join(key, { callId, position: 0, calls: 3, signal });
    const first = slot("call_0", abort.signal);
    const second = slot("call_1");
    const third = slot("call_2");
    const one = first?.settle(asking(600));
    const two = second?.settle(asking(600));
    abort.abort();
    expect(await one).toBeUndefined();
    first?.end(true);
    const three = third?.settle(asking(100));
    expect(await Promise.all([two, three])).toEqual([566, 100]);
    const late = turns.join({}, { callId: "a", position: 0, calls: 2, signal: abort.signal });
    expect(await late?.settle(asking(600))).toBeUndefined();
  });

  it("lets everybody go when it is closed, and seats nobody after", async () => {
    const [first] = sit(2);
    const one = first?.settle(asking(600));
    turns.close();
    expect(await one).toBe(500);
    expect(turns.join({}, { callId: "a", position: 0, calls: 2 })).toBeUndefined();
  });

  it("has no slot for a single call, nor a second one for a call that is not over", () => {
    const [key, call] = [{}, { callId: "a", position: 0, calls: 2 }];
    expect(turns.join({}, { ...call, calls: 1 })).toBeUndefined();
    expect(turns.join(key, call)).toBeDefined();
    expect(turns.join(key, call)).toBeUndefined();
  });

  it("seats a call that runs again, and the turn of an equal key that begins anew", async () => {
    const key = {};
    const [first, second] = sit(2, 2, key);
    second?.end(false);
    const again = turns.join(key, { callId: "call_1", position: 1, calls: 2 });
    const one = first?.settle(asking(700));
    again?.end(true);
    expect(await one).toBe(700);
    first?.end(true);
    const [third, fourth] = sit(2, 2, key);
    fourth?.end(true);
    expect(await third?.settle(asking(900))).toBe(900);
  });

  it("gives everybody the equal share when a count fails", async () => {
    const [first, second] = sit(2);
    second?.stays(() => Promise.reject(new Error("no count")));
    second?.end(true);
    expect(await first?.settle(asking(600))).toBeUndefined();
  });
});
