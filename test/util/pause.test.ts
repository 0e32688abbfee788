import { describe, expect, it } from "vitest";

import { pause } from "../../src/util/pause.js";

/** Counts turns of the event loop, until it is stopped. */
function countTurns(): { turns: () => number; stop: () => void } {
  let turns = 0;
  let timer = setImmediate(function again() {
    turns += 1;
    timer = setImmediate(again);
  });
  return { turns: () => turns, stop: () => clearImmediate(timer) };
}

describe("a pause", () => {
  it("lets one of many go on in each turn of the event loop, in the order of their coming", async () => {
    const counted = countTurns();
    const resumed: { who: number; turn: number }[] = [];
    const worker = async (who: number): Promise<void> => {
      for (let step = 0; step < 3; step += 1) {
        await pause();
        resumed.push({ who, turn: counted.turns() });
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, who) => worker(who)));
    counted.stop();
    expect(resumed.map(({ who }) => who)).toEqual(
      Array.from({ length: 150 }, (_, index) => index % 50),
    );
    expect(new Set(resumed.map(({ turn }) => turn)).size).toBe(150);
  });

  it("ends for one that comes after all others are done", async () => {
    await Promise.all([pause(), pause()]);
    await new Promise((resolve) => setImmediate(resolve));
    await pause();
    const counted = countTurns();
    await pause();
    counted.stop();
    expect(counted.turns()).toBeLessThan(4);
  });
});
