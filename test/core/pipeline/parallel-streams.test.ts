import { Readable } from "node:stream";

import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ToolOutput } from "../../../src/core/types/output.js";

const failing = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
const offloader = createOffloader({ store: memoryStore() });
const lost = createOffloader({ store: failing, mode: "store" });
const cutting = createOffloader({
  store: memoryStore(),
  threshold: { tokens: 1600 },
  mode: "truncate",
});
afterAll(async () => {
  await Promise.all([offloader.close(), lost.close(), cutting.close()]);
});
const output = (value: unknown, more: Partial<ToolOutput> = {}): ToolOutput => ({
  toolName: "tool",
  sessionId: "s",
  value,
  ...more,
});

describe("a stream among other outputs", () => {
  it("is heard at once: one that fails before its turn is its tool's fault, and not the process's end", async () => {
    const others = Array.from({ length: 20 }, () =>
      offloader.offload(output("words ".repeat(9_000))),
    );
    const streams = Array.from({ length: 5 }, () => {
      const stream = new Readable({ read() {} });
      setImmediate(() => stream.destroy(new Error("no such file")));
      return offloader.offload(output(stream));
    });
    const told = await Promise.allSettled(streams);
    expect(told.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    await Promise.all(others);
  });
});
