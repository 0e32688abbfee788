import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { scannerModule } from "../../../../../scripts/scanner-bytes.js";
import type { Content } from "../../../../../src/core/types/content.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function identified(text: string): Promise<Content> {
  vi.resetModules();
  const { identifyContent } = await import("../../../../../src/core/content/identify.js");
  return await identifyContent(text);
}

const text = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `n${id}` })));

const { Module, Instance: Whole } = Reflect.get(globalThis, "WebAssembly");
const noMemory = (): never => {
  throw new RangeError("Out of memory: Cannot allocate Wasm memory for new instance");
};
function Bounded(module: object): object {
  const { memory, read } = new Whole(module).exports;
  return { exports: { memory: { buffer: memory.buffer, grow: noMemory }, read } };
}

it.each([
  ["is not there, as with `node --jitless`", undefined],
  ["has no memory", { Module, Instance: noMemory }],
])("JSON is kept as text where WebAssembly %s", async (_, stub) => {
  vi.stubGlobal("WebAssembly", stub);
  const { kind, body } = await identified(text);
  expect(kind).toBe("text");
  expect(Buffer.from(body).toString()).toBe(text);
});

it("JSON that is too deep for what WebAssembly may have is kept as text", async () => {
  vi.stubGlobal("WebAssembly", { Module, Instance: Bounded });
  const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
  expect((await identified(deep)).kind).toBe("text");
  expect((await identified(text)).kind).toBe("json-array");
});

it("The scanner's bytes are those of its text", async () => {
  const path = resolve(
    import.meta.dirname,
    "../../../../../src/core/content/json/scanner/scanner-bytes.ts",
  );
  expect(await readFile(path, "utf8")).toBe(await scannerModule());
});
