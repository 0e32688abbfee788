import { setImmediate } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { emit } from "../../../src/core/types/events.js";

describe("telling a listener", () => {
  const unhandled = vi.fn<() => void>();
  beforeEach(() => {
    unhandled.mockClear();
    process.prependListener("unhandledRejection", unhandled);
  });
  afterEach(() => {
    process.off("unhandledRejection", unhandled);
  });

  const fail = (): never => {
    throw new Error("log");
  };
  /* oxlint-disable unicorn/no-thenable -- These are the cases. */
  const told: [string, (event: string) => unknown][] = [
    ["throws", fail],
    ["gives a promise that rejects", async () => fail()],
    ["gives a promise that never settles", () => new Promise(() => {})],
    ["gives what only looks like a promise", () => ({ then: "later" })],
    ["gives a promise whose `then` throws", () => ({ then: fail })],
  ];
  /* oxlint-enable unicorn/no-thenable */
  it.each(told)("survives one that %s", async (_, listener) => {
    const heard = vi.fn<(event: string) => void>(listener);
    expect(() => emit(heard, "event")).not.toThrow();
    await setImmediate();
    await setImmediate();
    expect(heard).toHaveBeenCalledExactlyOnceWith("event");
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("does nothing without one", () => {
    expect(() => emit(undefined, "event")).not.toThrow();
  });
});
