import { describe, expect, it, vi } from "vitest";

import { pause } from "../../src/util/pause.js";
import { countTurns } from "../count-turns.js";

function work(ms: number): void {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt;);
}

async function resumedOf(workers: number, steps: number, ms: number) {
  const counted = countTurns();
  const resumed: { who: number; turn: number }[] = [];
  const worker = async (who: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) {
      await pause();
      resumed.push({ who, turn: counted.turns() });
      work(ms);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, who) => worker(who)));
  counted.stop();
  return resumed;
}

describe("a pause", () => {
  it("lets all go on in the order of their coming, nobody twice in a turn of the event loop", async () => {
    const resumed = await resumedOf(50, 3, 0);
    const inOrder = Array.from({ length: 150 }, (_, index) => index % 50);
    expect(resumed.map(({ who }) => who)).toEqual(inOrder);
    expect(new Set(resumed.map(({ who, turn }) => `${who} ${turn}`)).size).toBe(150);
  });

  it("lets one of those go on in each turn who take longer than a slice", async () => {
    const resumed = await resumedOf(10, 2, 3);
    expect(new Set(resumed.map(({ turn }) => turn)).size).toBe(20);
  });

  it("ends though a test fakes the timers while somebody waits", async () => {
    vi.useFakeTimers();
    const waiting = pause();
    vi.useRealTimers();
    await waiting;
    await pause();
  });
});
