import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { extract } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const sessionId = "a thread";
const sessionKey = sessionKeyOf(sessionId);
const never = (): Promise<never> => new Promise(() => {});

const TOOLS = ["read", "grep", "jq", "extract"];

/** Asks an output whose store has fallen silent: it answers no more, to looking up or to reading. */
async function silentAt(method: "stat" | "read", tool: string, signal?: AbortSignal) {
  const store = memoryStore();
  const { offloader } = opened({ store, plugins: [extract()] });
  const { storedArtifact } = await offloader.put([{ a: 1 }, { a: 2 }], { sessionId });
  vi.spyOn(store, method).mockImplementation(never);
  const args = { id: storedArtifact.id, pattern: "a", filter: ".", query: "." };
  return { answering: offloader.drillIn.run(tool, args, { sessionKey, signal }) };
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

  it.each(TOOLS)("ends a %s after a minute, with what to do", async (tool) => {
    const { answering } = await silentAt(method, tool);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await answering).toMatchObject({
      failed: true,
      text: expect.stringContaining("The store did not answer"),
    });
  });

  it.each(TOOLS)("lets a %s go that is given up", async (tool) => {
    const stop = new AbortController();
    const { answering } = await silentAt(method, tool, stop.signal);
    stop.abort(new Error("given up"));
    await expect(answering).rejects.toThrow("given up");
  });
});
