import { Readable } from "node:stream";

import { afterAll, describe, expect, it } from "vitest";

import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";
import type { ToolOutput } from "../../src/types/output.js";

const failing = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
const offloader = createOffloader({ store: memoryStore() });
const lost = createOffloader({ store: failing, decide: { mode: "artifact" } });
const cutting = createOffloader({
  store: memoryStore(),
  decide: { threshold: { tokens: 1600 }, mode: "truncate" },
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
const large = "line of a log that tells something\n".repeat(200_000);

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

describe("bytes that are all there", () => {
  it("are cut where their text would be", async () => {
    const text = await cutting.offload(output(large));
    const bytes = await cutting.offload(output(Buffer.from(large)));
    if (text.outcome !== "truncated" || bytes.outcome !== "truncated") throw new Error("not cut");
    expect(bytes.text.length).toBeGreaterThan(0.9 * text.text.length);
  });
});

describe("a stream of the user that is not stored", () => {
  it.each([lost, cutting])("does not pass for its beginning", async (one) => {
    async function* parts() {
      for (let part = 0; part < 10; part += 1) yield large.slice(0, 1_000_000);
    }
    const result = await one.offload(output(parts(), { origin: "user" }));
    if (result.outcome !== "truncated") throw new Error(result.outcome);
    expect(result.text.length).toBeLessThan(200_000);
    expect(result.text).toMatch(/missing|truncated/);
  });
});
