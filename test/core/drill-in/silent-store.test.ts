import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { extract } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const sessionId = "a thread";
const sessionKey = sessionKeyOf(sessionId);
const never = (): Promise<never> => new Promise(() => {});

/** An output whose store has fallen silent: it answers no more, to looking up or to reading. */
async function silentAt(method: "stat" | "read") {
  const store = memoryStore();
  const { offloader } = opened({ store, plugins: [extract()] });
  const { storedArtifact } = await offloader.put([{ a: 1 }, { a: 2 }], { sessionId });
  const { drillIn } = offloader;
  const { id } = storedArtifact;
  const ask: Record<string, (signal?: AbortSignal) => Promise<{ text: string; failed: boolean }>> =
    {
      read: (signal) => drillIn.run("read", { id }, { sessionKey, signal }),
      grep: (signal) => drillIn.run("grep", { id, pattern: "a" }, { sessionKey, signal }),
      jq: (signal) => drillIn.run("jq", { id, filter: "." }, { sessionKey, signal }),
      extract: (signal) => drillIn.run("extract", { id, query: "." }, { sessionKey, signal }),
    };
  vi.spyOn(store, method).mockImplementation(never);
  return ask;
}

// What answers is loaded with the first question, which takes real time.
beforeAll(async () => {
  await import("../../../src/core/drill-in/read.js");
  await import("../../../src/core/drill-in/grep.js");
  await import("../../../src/core/drill-in/jq.js");
});

describe.each(["stat", "read"] as const)("a store whose %s never answers", (method) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it.each(["read", "grep", "jq", "extract"])(
    "ends a %s after a minute, with what to do",
    async (tool) => {
      const ask = await silentAt(method);
      const answering = ask[tool]?.();
      await vi.advanceTimersByTimeAsync(61_000);
      expect(await answering).toMatchObject({
        failed: true,
        text: expect.stringContaining("The store did not answer"),
      });
    },
  );

  it.each(["read", "grep", "jq", "extract"])("lets a %s go that is given up", async (tool) => {
    const ask = await silentAt(method);
    const stop = new AbortController();
    const answering = ask[tool]?.(stop.signal);
    stop.abort(new Error("given up"));
    await expect(answering).rejects.toThrow("given up");
  });
});
