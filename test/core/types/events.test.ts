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

  const told: [string, (event: string) => void][] = [
    [
      "throws",
      () => {
        throw new Error("log");
      },
    ],
    ["gives a promise that rejects", async () => await Promise.reject(new Error("log"))],
    ["gives a promise that never settles", () => new Promise(() => {})],
    // oxlint-disable-next-line unicorn/no-thenable -- This is the case.
    ["gives what only looks like a promise", () => ({ then: "later" })],
    [
      "gives a promise whose `then` throws",
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable -- This is the case.
        then() {
          throw new Error("log");
        },
      }),
    ],
  ];
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
