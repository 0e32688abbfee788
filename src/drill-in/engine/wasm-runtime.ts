/** The part of the platform's WebAssembly that is used here and that Node's types leave out. */
export interface WasmRuntime {
  compile(bytes: unknown): Promise<WebAssembly.Module>;
  Instance: new (
    module: WebAssembly.Module,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

export const wasm: WasmRuntime = Reflect.get(globalThis, "WebAssembly");
