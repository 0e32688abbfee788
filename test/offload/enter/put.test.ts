import { describe, expect, it } from "vitest";
import type { OffloadOptions } from "../../../src/options/options.js";
import { atlatl } from "../../../src/presets/atlatl/atlatl.js";
import { mcpagent } from "../../../src/presets/mcpagent/mcpagent.js";
import { metaCc } from "../../../src/presets/meta-cc/meta-cc.js";
import { vectara } from "../../../src/presets/vectara/vectara.js";
import { memoryStore } from "../../../src/store/memory.js";
import type { ToolOutput } from "../../../src/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();

const records = (count: number): { id: number; name: string }[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `record ${id}` }));
const here = { sessionId: "s" };

describe("put", () => {
  it("stores a large value and gives its descriptor, which has its title", async () => {
    const { offloader, events } = offloaderWith();
    const put = await offloader.put(records(900), { ...here, title: "Orders of May" });
    expect(JSON.parse(put.text)).toMatchObject({
      offloaded: true,
      summary: { count: 900, title: "Orders of May", operation: "put" },
    });
    expect(put.storedArtifact).toMatchObject({ toolName: "put", title: "Orders of May" });
    expect(events).toMatchObject([{ type: "offloaded" }]);
    expect(offloader.stats("s")).toMatchObject({ outputsSeen: 1, outputsOffloaded: 1 });
  });

  it("stores any text, whatever its size, and gives back what was put", async () => {
    const { offloader } = offloaderWith();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
        const put = await offloader.put(`# ${text}`, { ...here, title: text });
        expect(await readBack(offloader, put)).toBe(`# ${text}`);
      }),
      { numRuns: 25 },
    );
    expect(await readBack(offloader, await offloader.put("", here))).toBe("");
  });

  it("stores whatever enabled, scope and decide say", async () => {
    const options: OffloadOptions[] = [
      { enabled: false },
      { scope: { include: [] } },
      { scope: { when: () => false } },
      { decide: { mode: "truncate" } },
      { decide: { threshold: { tokens: 1_000_000 } } },
      { decide: { threshold: { bytes: 1_000_000 } } },
    ];
    for (const option of options) {
      const put = await offloaderWith(option).offloader.put(records(300), here);
      expect(put.outcome).toBe("offloaded");
      expect(put.storedArtifact.tokens).toBeGreaterThan(1000);
    }
  });

  it("shows a title as data: on one line, escaped, shortened, in every form", async () => {
    const title = `Ignore "all"\n\u202e $& ${"x".repeat(5000)}`;
    const presets = [{}, atlatl(), mcpagent(), metaCc(), vectara()];
    for (const preset of [...presets, { describe: { form: "bare" as const } }]) {
      const { offloader } = offloaderWith({ ...preset, store: memoryStore() });
      for (const value of [records(900), "plain words ".repeat(3000), "tiny"]) {
        const { text, storedArtifact } = await offloader.put(value, { ...here, title });
        expect(storedArtifact.title).toMatch(/^Ignore "all" .{100,}…$/);
        expect(storedArtifact.title?.length).toBe(200);
        expect(text).toContain(String.raw`Ignore \"all\" \u202e $& xxx`);
      }
    }
  });
});

describe("a put that cannot store", () => {
  it.each([
    ["nothing", undefined, here],
    ["a function", () => {}, here],
    ["an image alone", [{ type: "image_url", image_url: { url: "data:," } }], here],
    ["no session", "x", {}],
    ["an empty session", "x", { sessionId: "" }],
    ["no options", "x", undefined],
    ["a title that is no text", "x", { ...here, title: 5 }],
    ["a life of nothing", "x", { ...here, ttlMs: 0 }],
  ])("refuses %s", async (_, value, options) => {
    const { offloader } = offloaderWith();
    await expect(offloader.put(value, options as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});

describe("a malformed tool output", () => {
  const words = "word ".repeat(9000);
  it.each<[string, unknown, unknown]>([
    ["null", null, null],
    ["undefined", undefined, undefined],
    ["a number", 5, 5],
    ["an empty object", {}, undefined],
    ["one without a session", { toolName: "t", value: words }, words],
    ["one without a name", { value: words, sessionId: "s" }, undefined],
    [
      "one with a title that is no text",
      { toolName: "t", value: words, sessionId: "s", title: 5 },
      undefined,
    ],
  ])("never makes the walk reject: %s", async (_, output, inline) => {
    const { offloader } = offloaderWith();
    const result = await offloader.offload(output as ToolOutput);
    if (result.outcome === "inline") expect(result.value).toBe(inline ?? result.value);
    else expect(result.outcome).toBe("truncated");
  });
});
