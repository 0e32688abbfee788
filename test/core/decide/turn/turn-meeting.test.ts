import { afterEach, describe, expect, it } from "vitest";

import { createTurns, type Turns } from "../../../../src/core/decide/turn/turn-barrier.js";
import type { BudgetSlot } from "../../../../src/core/types/output.js";

const asking = (tokens: number) => ({ tokens, budgetTokens: 1000 });
describe("meeting of a turn", () => {
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

  it("counts what stays only when somebody asks", async () => {
    let counted = 0;
    const count = (): Promise<number> => Promise.resolve((counted += 100));
    const [first, second] = sit(2);
    first?.stays(count);
    first?.end(true);
    second?.stays(count);
    second?.end(true);
    expect(counted).toBe(0);
    const [third, fourth] = sit(2);
    third?.stays(count);
    third?.end(true);
    expect(await fourth?.settle(asking(901))).toBeLessThan(901);
    expect(counted).toBe(100);
  });

  it("goes on without calls that do not begin, each group with its part", async () => {
    const key = {};
    const [first, second] = sit(2, 4, key);
    const [one, other] = await Promise.all([
      first?.settle(asking(300)),
      second?.settle(asking(200)),
    ]);
    expect([one, other]).toEqual([300, 200]);
    first?.end(true);
    second?.end(true);
    const late = turns.join(key, { callId: "call_3", position: 3, calls: 4 });
    expect(await late?.settle(asking(251))).toBeLessThan(251);
  });

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

  it("gives a call that asks twice its equal share the second time", async () => {
    const [first, second] = sit(2);
    const one = first?.settle(asking(600));
    expect(await first?.settle(asking(600))).toBeUndefined();
    second?.end(true);
    expect(await one).toBe(600);
    first?.end(true);
    expect(await first?.settle(asking(1))).toBeUndefined();
  });

  it("gives everybody the equal share when a count fails", async () => {
    const [first, second] = sit(2);
    second?.stays(() => Promise.reject(new Error("no count")));
    second?.end(true);
    expect(await first?.settle(asking(600))).toBeUndefined();
  });
});
