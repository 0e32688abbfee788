import { describe, expect, it, vi } from "vitest";

import { StreamFault } from "../../../src/core/content/stream/held-stream.js";
import { createMeasure } from "../../../src/core/measure/measure.js";
import { resolveOptions } from "../../../src/core/options/resolve.js";
import type { Call } from "../../../src/core/pipeline/call.js";
import { createRunPipeline } from "../../../src/core/pipeline/run-pipeline.js";
import type { Shortening } from "../../../src/core/pipeline/shorten.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { OffloadResult } from "../../../src/core/types/result.js";

const fail = (): never => {
  throw new Error("no");
};
const inline = (value: string): OffloadResult => ({ outcome: "inline", value });
const long = "a line of text\n".repeat(3000);

/** Where storing fails with `error`, or saves nothing without one. */
function pipelineWith(error?: unknown) {
  const options = { ...resolveOptions({ store: memoryStore() }), toolNames: {} };
  const parts = {
    options,
    measure: createMeasure({ tokenizer: "characters" }),
    storeAndDescribe: async () => {
      if (error !== undefined) throw error;
      return undefined;
    },
    lifetime: { stored: async () => {} },
    countOutput: vi.fn<() => void>(),
    shorten: async () => inline("shortened"),
    recover: vi.fn<Shortening["recover"]>(async () => inline("recovered")),
  };
  const { runPipeline } = createRunPipeline(parts);
  const run = (value: unknown, own: Partial<Call["options"]> = {}) =>
    runPipeline({
      output: { toolName: "tool", sessionId: "s", value },
      source: "tool",
      isIn: true,
      isLimited: true,
      sessionKey: "s",
      options: { ...options, ...own },
      notify: () => {},
    });
  return { run, parts };
}

describe("the steps of an output", () => {
  it("leave a short text where it is, counted, without a look at it", () => {
    const { run, parts } = pipelineWith();
    expect(run("short")).toEqual(inline("short"));
    expect(parts.countOutput).toHaveBeenCalledOnce();
  });

  it("leave an output where it is that storing saves nothing of, and shorten it where nothing is stored", async () => {
    const { run } = pipelineWith();
    expect(await run(long)).toEqual(inline(long));
    expect(await run(long, { mode: "truncate" })).toEqual(inline("shortened"));
  });

  it("ask for a way out when a step throws, and say how far they came", async () => {
    const { run, parts } = pipelineWith(new Error("no"));
    expect(await run(long)).toEqual(inline("recovered"));
    const stored = { payload: { text: long }, decision: { action: "store" }, encoded: {} };
    expect(await run(long, { gates: [fail], shortBytes: 0 })).toEqual(inline("recovered"));
    const judged = { payload: { text: long }, decision: undefined, encoded: undefined };
    expect(parts.recover.mock.calls).toMatchObject([
      [expect.any(Error), {}, stored],
      [expect.any(Error), {}, judged],
    ]);
  });

  it("give the fault of the tool's own stream to the caller", async () => {
    const fault = new StreamFault("the tool's");
    const { run, parts } = pipelineWith(fault);
    await expect(run(long)).rejects.toBe(fault);
    expect(parts.recover).not.toHaveBeenCalled();
  });

  it("close what they hold of a stream, also where the way out rejects", async () => {
    const { run, parts } = pipelineWith(new Error("no"));
    parts.recover.mockRejectedValue(new Error("refused"));
    const ended = vi.fn<() => void>();
    async function* source(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve(long.repeat(50));
      } finally {
        ended();
      }
    }
    await expect(run(source(), { gates: [fail] })).rejects.toThrow("refused");
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  });
});
