import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();

const output = (value: unknown, toolName = "search"): ToolOutput => ({
  toolName,
  value,
  toolCallId: "call_1",
  args: { query: "all" },
  sessionId: "s1",
});

const records = (count: number): { id: number; name: string; kind: string }[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${id}`,
    kind: id % 3 === 0 ? "a" : "b",
  }));

describe("what is left alone", () => {
  const large = JSON.stringify(records(5000));

  it.each<[string, OffloadOptions, string, unknown]>([
    ["everything when switched off", { enabled: false }, "search", large],
    ["an excluded tool", { exclude: ["search"] }, "search", large],
    ["a drill-in tool", {}, "jq_tool_output", large],
    ["an empty string", {}, "search", ""],
    ["nothing at all", {}, "search", undefined],
    ["an empty list", {}, "search", []],
  ])("%s", async (_, options, toolName, value) => {
    const { offloader, events } = offloaderWith(options);
    const result = await offloader.offload(output(value, toolName));
    expect(result.outcome === "inline" && result.value).toBe(value);
    expect(events).toEqual([]);
  });
});

describe("an offloaded output", () => {
  it("R5: keeps something of every set where the store fails, and no empty one", async () => {
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("the disk is full")) };
    const { offloader } = offloaderWith({ store });
    const refunds = Object.fromEntries(records(500).map((one, index) => [`r${index}`, one]));
    for (const value of [
      { orders: records(600), refunds: records(500) },
      { orders: records(600), refunds },
    ]) {
      const result = await offloader.offload(output(value));
      const text = result.outcome === "truncated" ? result.text : "";
      expect(text).toContain('{"orders":[{');
      expect(text.trimEnd()).toMatch(/\}[\]}]\}$/);
      expect(text).not.toMatch(/"(?:orders|refunds)":(?:\[\]|\{\}|"object of 0)/);
      expect(text).toMatch(/\d+ of \d+ bytes are missing/);
    }
  });
});

describe("properties", () => {
  it("arbitrary text is kept byte for byte, or as the records that it is", async () => {
    const store = memoryStore({ maxBytes: 1e9 });
    const { offloader } = offloaderWith({ threshold: { tokens: 0 }, store });
    const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 2000 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const result = await offloader.offload(output(text));
        if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
        const { id, sessionKey, layout, sizeBytes } = result.storedArtifact;
        const body = Buffer.from(await store.read(result.storedArtifact)).toString("utf8");
        if (layout === "text") expect(body).toBe(text);
        expect((await store.stat(id, sessionKey))?.sizeBytes).toBe(sizeBytes);
      }),
      { numRuns: 37 },
    );
  });
});
