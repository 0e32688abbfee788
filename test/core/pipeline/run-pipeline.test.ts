import { describe, expect, it, vi } from "vitest";

import { resolveOptions } from "../../../src/core/options/resolve.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import type { PipelineContext } from "../../../src/core/pipeline/context.js";
import { runPipeline } from "../../../src/core/pipeline/run-pipeline.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { headroom, threshold } from "../../../src/presets/index.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const fail = (): never => {
  throw new Error("no");
};

describe("the steps of an output", () => {
  it("leave a short text where it is, counted, without a look at it", async () => {
    const options = resolveOptions({ store: memoryStore() });
    const countOutput = vi.fn<() => void>();
    const context = { options, stats: { countOutput } } as unknown as PipelineContext;
    const call = {
      output: { toolName: "tool", sessionId: "s", value: "short" },
      source: "tool",
      isLimited: true,
      sessionKey: "s",
      options,
      notify: () => {},
    } as const;
    expect(await runPipeline(context, call)).toEqual({ outcome: "inline", value: "short" });
    expect(countOutput).toHaveBeenCalledExactlyOnceWith("s");
  });

  it("leave the text of a stream inline where storing and then shortening fail", async () => {
    const put = (): Promise<never> => Promise.reject(new Error("disk full"));
    const gates = [fail];
    const { offloader } = opened({ store: { ...memoryStore(), put }, gates });
    const text = "a line of the stream\n".repeat(1_500);
    async function* lines(): AsyncGenerator<string> {
      yield text;
    }
    const output = { toolName: "tool", sessionId: "s", value: lines(), always: true } as const;
    expect(await offloader.offload(output)).toMatchObject({ value: text });
  });

  it("count the conversation by its own method, and only where a gate asks for it", async () => {
    class Counted {
      asked = 0;
      async countedBy(): Promise<number> {
        this.asked += 1;
        return await Promise.resolve(90_000);
      }
    }
    const outcomes: unknown[] = [];
    for (const gates of [[headroom({ fraction: 0.5 })], [threshold({ tokens: 9_000 })]]) {
      const { offloader } = opened({ gates, contextWindowTokens: 100_000 });
      const conversation = new Counted();
      const output = { toolName: "tool", sessionId: "s", value: "word ".repeat(900), conversation };
      outcomes.push((await offloader.offload(output)).outcome, conversation.asked);
    }
    expect(outcomes).toEqual(["offloaded", 1, "inline", 0]);
  });

  it.each<readonly [string, OffloadOptions, boolean]>([
    ["a gate throws", { gates: [fail] }, false],
    ["its store fails, which `put` reports", { store: { ...memoryStore(), put: fail } }, true],
  ])("close a stream that is still held where %s", async (_name, options, isPut) => {
    const { offloader } = opened({ maxOutputBytes: 6_000_000, ...options });
    const ended = vi.fn<() => void>();
    async function* source(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve("a line of text\n".repeat(50_000));
      } finally {
        ended();
      }
    }
    const output = { toolName: "tool", sessionId: "s", value: source() };
    if (isPut) await expect(offloader.put(output.value, output)).rejects.toThrow("no");
    else await expect(offloader.offload(output)).resolves.toMatchObject({ outcome: "truncated" });
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  });
});
