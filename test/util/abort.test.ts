import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";

import { orAborted, withDeadline } from "../../src/util/abort.js";

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
