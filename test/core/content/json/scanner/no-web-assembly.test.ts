import { afterEach, expect, it, vi } from "vitest";
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

it("JSON is kept as text where WebAssembly is not there, as with `node --jitless`", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  const { kind, body } = await identified(text);
  expect(kind).toBe("text");
  expect(Buffer.from(body).toString()).toBe(text);
});

it("JSON is kept as text where WebAssembly has no memory", async () => {
  const { Module }: { Module: unknown } = Reflect.get(globalThis, "WebAssembly");
  const Instance = function (): never {
    throw new RangeError("Out of memory: Cannot allocate Wasm memory for new instance");
  };
  vi.stubGlobal("WebAssembly", { Module, Instance });
  expect((await identified(text)).kind).toBe("text");
});

it("JSON that is too deep for what WebAssembly may have is kept as text", async () => {
  const { Module, Instance: Whole } = Reflect.get(globalThis, "WebAssembly");
  const grow = (): never => {
    throw new RangeError("WebAssembly.Memory.grow(): Maximum memory size exceeded");
  };
  const Instance = function (module: object): object {
    const { memory, read } = new Whole(module).exports;
    return { exports: { memory: { buffer: memory.buffer, grow }, read } };
  };
  vi.stubGlobal("WebAssembly", { Module, Instance });
  const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
  expect((await identified(deep)).kind).toBe("text");
  expect((await identified(text)).kind).toBe("json-array");
});
