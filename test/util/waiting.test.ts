import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";

import { orAborted, withDeadline } from "../../src/util/abort.js";
import { pause } from "../../src/util/pause.js";
import { countTurns } from "../count-turns.js";

const never = (): Promise<never> => new Promise(() => {});

describe("a promise or a signal", () => {
  it("gives what the promise gives, or throws the signal's reason, also where it has aborted before", async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    expect(await orAborted(Promise.resolve(2), undefined)).toBe(2);
    await expect(orAborted(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
    const aborted = AbortSignal.abort(new Error("gone"));
    await expect(orAborted(Promise.resolve(3), aborted)).rejects.toThrow("gone");
    // The rejection that nobody waits for any more is heard: else it would fail this run.
    await expect(orAborted(Promise.reject(new Error("late")), aborted)).rejects.toThrow("gone");
    const stop = new AbortController();
    const waiting = orAborted(never(), stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });

  it("leaves nothing on a signal that lives as long as the process, and causes no warning", async () => {
    const { signal } = new AbortController();
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
    for (let call = 0; call < 1000; call += 1) await orAborted(Promise.resolve(call), signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const many = Array.from({ length: 100 }, () => orAborted(Promise.resolve(), signal));
    expect(getEventListeners(signal, "abort")).toHaveLength(100);
    await Promise.all(many);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });
});

describe("a deadline", () => {
  it("ends a job that goes on for too long, in the given words, and aborts its signal", async () => {
    const job = vi.fn<(signal: AbortSignal) => Promise<never>>(never);
    const late = "No answer.";
    await expect(withDeadline({ timeoutMs: 1, late }, job)).rejects.toThrow(late);
    expect(job.mock.lastCall?.[0].aborted).toBe(true);
  });

  it("leaves no timer behind a job that answers or fails, and keeps the process while one runs", async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const bound = { timeoutMs: 60_000, late: "No answer." };
    expect(await withDeadline(bound, async () => timers() - before)).toBe(1);
    const failing = () => Promise.reject(new Error("own"));
    await expect(withDeadline(bound, failing)).rejects.toThrow("own");
    expect(timers()).toBe(before);
  });
});

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
