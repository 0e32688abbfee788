import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  startRunClock,
  type StoppedTime,
  watchClock,
} from "../../../src/drill-in/engine/run-clock.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** After what time on the wall a run is stopped that has such a part of the processor, and by which limit. */
function stoppedAt(limitMs: number, part: number | undefined): [number, StoppedTime | undefined] {
  const startedAt = performance.now();
  const used = (): number => performance.now() - startedAt;
  const clock = startRunClock(limitMs, () => (part === undefined ? undefined : used() * part));
  let stopped: StoppedTime | undefined;
  let atMs = 0;
  watchClock(clock, (time) => {
    stopped = time;
    atMs = used();
  });
  vi.advanceTimersByTime(limitMs * 10);
  return [Math.round(atMs / 100) * 100, stopped];
}

describe("the clock of a run", () => {
  it("counts time of the processor, however long that takes", () => {
    expect(stoppedAt(1000, 1)[0]).toBe(1000);
    expect(stoppedAt(1000, 0.5)).toMatchObject([2000, { limit: "processor" }]);
    expect(stoppedAt(1000, 0.25)).toMatchObject([4000, { limit: "processor" }]);
  });

  it("ends a run after five times as long, whatever it had", () => {
    expect(stoppedAt(1000, 0.1)).toEqual([5000, { limit: "wall", processorMs: 500 }]);
    expect(stoppedAt(1000, 0)).toEqual([5000, { limit: "wall", processorMs: 0 }]);
  });

  it("counts time on the wall where the system tells no other", () => {
    const wall = { limit: "wall", processorMs: undefined };
    expect(stoppedAt(1000, undefined)).toEqual([1000, wall]);
  });

  it("looks at the processor time seldom", () => {
    const used = vi.fn<() => number>(() => 0);
    const clock = startRunClock(1000, used);
    for (let looked = 0; looked < 1000; looked += 1) {
      clock.passed();
      vi.advanceTimersByTime(4);
    }
    expect(used.mock.calls.length).toBeLessThan(5);
  });

  it("stops nothing that has ended", () => {
    const stop = vi.fn<() => void>();
    watchClock(
      startRunClock(1000, () => 5000),
      stop,
    ).end();
    vi.advanceTimersByTime(10_000);
    expect(stop).not.toHaveBeenCalled();
  });
});
