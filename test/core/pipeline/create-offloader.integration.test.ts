import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const folder = mkdtempSync(join(tmpdir(), "offload-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = openedOffloaders();
const offloaderWith: typeof open = (options) =>
  open({ store: fileStore({ directory: folder }), ...options });

const output = (
  value: unknown,
  toolName = "search",
  sessionId = "s1",
): Parameters<Offloader["offload"]>[0] => ({
  toolName,
  value,
  toolCallId: "call_1",
  args: { query: "all" },
  sessionId,
});

function stored(result: OffloadResult): StoredArtifact {
  if (result.outcome !== "offloaded")
    throw new Error(`expected an offloaded output, got ${result.outcome}`);
  return result.storedArtifact;
}

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
  const sessionKey = sessionKeyOf("s1");
  const always = createOffloader({
    threshold: { tokens: 0 },
    store: memoryStore({ maxBytes: 1e9 }),
  });
  afterAll(async () => await always.close());

  const storedText = async (artifact: StoredArtifact): Promise<string> => {
    const bytes = await always.store.read(artifact);
    return Buffer.from(bytes).toString("utf8");
  };

  it("arbitrary text is kept byte for byte, or as the records that it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", minLength: 1, maxLength: 2000 }),
        async (text) => {
          const artifact = stored(await always.offload(output(text)));
          if (artifact.layout === "text") expect(await storedText(artifact)).toBe(text);
          expect((await always.store.stat(artifact.id, sessionKey))?.sizeBytes).toBe(
            artifact.sizeBytes,
          );
        },
      ),
      { numRuns: 37 },
    );
  });
});
