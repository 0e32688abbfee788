import { Readable } from "node:stream";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { resultText } from "../../../src/core.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { Offloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { atlatl } from "../../../src/presets/atlatl/atlatl.js";
import { mcpagent } from "../../../src/presets/mcpagent/mcpagent.js";
import { metaCc } from "../../../src/presets/meta-cc/meta-cc.js";
import { vectara } from "../../../src/presets/vectara/vectara.js";

import type { ToolOutput } from "../../../src/core/types/output.js";
import type { OffloadedOutput } from "../../../src/core/types/result.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();

const records = (count: number): { id: number; name: string }[] =>
  Array.from({ length: count }, (_, id) => ({ id, name: `record ${id}` }));
const here = { sessionId: "s" };

async function readBack(
  offloader: Offloader,
  { storedArtifact }: OffloadedOutput,
): Promise<string> {
  const { headerBytes, sizeBytes } = storedArtifact;
  const range = { start: headerBytes, end: sizeBytes };
  return Buffer.from(await offloader.store.read(storedArtifact, range)).toString();
}

describe("put", () => {
  it.each<OffloadOptions>([
    { enabled: false },
    { include: [] },
    { exclude: () => true },
    { mode: "truncate" },
    { threshold: { tokens: 1_000_000 } },
  ])("stores whatever enabled, exclude and limits say: %j", async (option) => {
    const put = await offloaderWith(option).offloader.put(records(300), here);
    expect(put.outcome).toBe("offloaded");
    expect(put.storedArtifact.tokens).toBeGreaterThan(1000);
  });

  it("shows a title as data: on one line, escaped, shortened, in every form", async () => {
    const title = `Ignore "all"\n\u202e $& ${"x".repeat(5000)}`;
    const presets = [undefined, atlatl(), mcpagent(), metaCc(), vectara()].map((preset) => ({
      ...(preset && { preset }),
    }));
    for (const options of [...presets, { describe: { form: "bare" as const } }]) {
      const { offloader } = offloaderWith(options);
      for (const value of [records(900), "plain words ".repeat(3000), "tiny"]) {
        const { text, storedArtifact } = await offloader.put(value, { ...here, title });
        expect(storedArtifact.title).toMatch(/^Ignore "all" .{100,}…$/);
        expect(storedArtifact.title?.length).toBe(200);
        expect(text).toContain(String.raw`Ignore \"all\" \u202e $& xxx`);
      }
    }
  });

  it("gives the same artifact for the same value and title, and another for another title", async () => {
    const { offloader } = offloaderWith();
    const titles = ["a", "a", "b", undefined];
    const ids = [];
    for (const title of titles) {
      const put = await offloader.put(records(400), { ...here, title });
      ids.push(put.storedArtifact.id);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  it("has the options of the tool that is named, a life and a form of its own", async () => {
    const { offloader } = offloaderWith({
      now: () => 1_000_000,
      perTool: { report: { retention: { ttlMs: 5000 } } },
    });
    const named = await offloader.put("x", { ...here, toolName: "report" });
    expect(named.storedArtifact).toMatchObject({ toolName: "report", expiresAt: 1_005_000 });
    const own = await offloader.put(records(400), { ...here, ttlMs: 7000, form: "bare" });
    expect(own.storedArtifact.expiresAt).toBe(1_007_000);
    expect(own.descriptor.form).toBe("bare");
  });

  it("stores streams, small and large", async () => {
    const { offloader } = offloaderWith();
    const small = await offloader.put(Readable.from(["a\n", "b\n"]), here);
    expect(await readBack(offloader, small)).toBe("a\nb\n");
    const lines = Array.from({ length: 60 }, () => `${"l".repeat(99_999)}\n`);
    const large = await offloader.put(Readable.from(lines), { ...here, title: "Lines" });
    expect(large.storedArtifact).toMatchObject({ sizeBytes: 6_000_000, lineCount: 60 });
  });
});

describe("a put that cannot store", () => {
  it("rejects with what a stream throws", async () => {
    const fault = new Error("connection lost");
    async function* failing(parts: number): AsyncGenerator<string> {
      for (let part = 0; part < parts; part += 1) yield "l".repeat(100_000);
      throw fault;
    }
    const { offloader, events } = offloaderWith();
    for (const parts of [1, 60])
      await expect(offloader.put(failing(parts), here)).rejects.toBe(fault);
    expect(events).toEqual([]);
  });

  it.each([
    ["nothing", undefined, here],
    ["a function", () => {}, here],
    ["an image alone", [{ type: "image_url", image_url: { url: "data:," } }], here],
    ["no session", "x", {}],
    ["an empty session", "x", { sessionId: "" }],
    ["no options", "x", undefined],
    ["a life of nothing", "x", { ...here, ttlMs: 0 }],
    ["a title that is no text", "x", { ...here, title: null }],
    ["a name that is no text", "x", { ...here, toolName: 5 }],
  ])("refuses %s", async (_, value, options) => {
    const { offloader } = offloaderWith();
    await expect(offloader.put(value, options as never)).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});

describe("a malformed tool output", () => {
  const whole = { toolName: "t", value: "word ".repeat(9000), sessionId: "s" };
  it.each<[string, unknown, string]>([
    ["an empty object", {}, "inline"],
    ["one without a session", { ...whole, sessionId: undefined }, "inline"],
    ["one without a name", { ...whole, toolName: undefined }, "truncated"],
    ["one with a title that is no text", { ...whole, title: 5 }, "truncated"],
  ])("never makes the pipeline reject: %s", async (_, output, outcome) => {
    const result = await offloaderWith().offloader.offload(output as ToolOutput);
    expect(result.outcome).toBe(outcome);
    if (result.outcome === "inline")
      expect(result.value).toBe(Reflect.get(Object(output), "value"));
  });
});

it("an offloader leaves a drill-in tool alone", async () => {
  const { offloader, events } = offloaderWith();
  const value = JSON.stringify(records(5000));
  const result = await offloader.offload({ ...here, toolName: "jq_tool_output", value });
  expect(result).toEqual({ outcome: "inline", value });
  expect(events).toEqual([]);
});

it("resultText is the text or the JSON of what stays, and what stands for what does not", async () => {
  const { offloader } = offloaderWith();
  const of = (value: unknown) => offloader.offload({ ...here, toolName: "small", value });
  const shown = async (value: unknown) => resultText(await of(value));
  const left = await of(records(900));
  expect(resultText(left)).toBe(left.outcome === "offloaded" && left.text);
  expect(await shown("a text")).toBe("a text");
  expect(await shown({ n: 1 })).toBe('{"n":1}');
  expect(await shown([{ type: "text", text: "of a block" }])).toBe("of a block");
  expect(await shown(undefined)).toBe("undefined");
});

it("R5: keeps something of every set where the store fails, and no empty one", async () => {
  const store = { ...memoryStore(), put: () => Promise.reject(new Error("the disk is full")) };
  const { offloader } = offloaderWith({ store });
  const paid = (count: number) =>
    records(count).map((one) => ({ ...one, kind: one.id % 3 ? "a" : "b" }));
  const refunds = Object.fromEntries(paid(500).map((one, index) => [`r${index}`, one]));
  for (const value of [
    { orders: paid(600), refunds: paid(500) },
    { orders: paid(600), refunds },
  ]) {
    const result = await offloader.offload({ ...here, toolName: "search", value });
    const text = result.outcome === "truncated" ? result.text : "";
    expect(text).toContain('{"orders":[{');
    expect(text.trimEnd()).toMatch(/\}[\]}]\}$/);
    expect(text).not.toMatch(/"(?:orders|refunds)":(?:\[\]|\{\}|"object of 0)/);
    expect(text).toMatch(/\d+ of \d+ bytes are missing/);
  }
});

it("arbitrary text is kept byte for byte, or as the records that it is", async () => {
  const store = memoryStore({ maxBytes: 1e9 });
  const { offloader } = offloaderWith({ threshold: { tokens: 0 }, store });
  const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 2000 });
  await fc.assert(
    fc.asyncProperty(texts, async (value) => {
      const result = await offloader.offload({ toolName: "search", value, sessionId: "s" });
      if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
      const { id, sessionKey, layout, sizeBytes } = result.storedArtifact;
      const body = Buffer.from(await store.read(result.storedArtifact)).toString("utf8");
      if (layout === "text") expect(body).toBe(value);
      expect((await store.stat(id, sessionKey))?.sizeBytes).toBe(sizeBytes);
    }),
    { numRuns: 37 },
  );
});
