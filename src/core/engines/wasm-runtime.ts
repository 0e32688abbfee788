import type { JsonObject } from "../../util/is-record.js";

export type WasmModule = object;

interface WasmRuntime {
  compile(bytes: unknown): Promise<WasmModule>;
  Instance: new (module: WasmModule, imports: object) => { readonly exports: JsonObject };
}

const runtime: WasmRuntime | undefined = Reflect.get(globalThis, "WebAssembly");

/** @throws Error in a process without WebAssembly, such as `node --jitless`. */
export function wasm(): WasmRuntime {
  if (runtime === undefined) throw new Error("this process has no WebAssembly");
  return runtime;
}
