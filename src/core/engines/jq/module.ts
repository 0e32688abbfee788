import { loadJq } from "jq-wasm";

import { isRecord } from "../../../util/is-record.js";
import { wasm, type WasmModule } from "../wasm-runtime.js";

export interface JqStreams {
  readonly opened: (file: number) => void;
  readonly read: (target: Uint8Array, file: number) => number;
  readonly write: (bytes: Uint8Array) => void;
  readonly writeError: (bytes: Uint8Array) => void;
  readonly mayGrow: (wantedBytes: number) => boolean;
}

export interface BoundedJq {
  /** Gives the exit code, and throws what `streams` throw. */
  run(streams: JqStreams, filter: string, flags: string[]): number;
  isIntact(): boolean;
}

type Import = (...args: number[]) => number | boolean | bigint | void;

export const INPUT_PATH = "/dev/stdin";
const STACK_END = 400_752;
/** Larger than two levels of a printed value. */
const GUARD = Buffer.alloc(4_096, 0xa5);
const MAX_SECONDS = 8_640_000_000_000;
const NO_SUCH_FILE = 44;

/**
 * Loads a jq that reads and writes through streams, sees no environment and opens only its input.
 *
 * @throws If the build lacks an import that is replaced here, since jq would be unbounded.
 */
export async function loadBoundedJq(module: WasmModule): Promise<BoundedJq> {
  let current: JqStreams | undefined;
  const streams = (): JqStreams => {
    if (current === undefined) throw new Error("jq ran outside of a run");
    return current;
  };
  let memory: { readonly buffer: ArrayBuffer } | undefined;
  const heap = (): ArrayBuffer => memory?.buffer ?? new ArrayBuffer(0);
  const stackEnd = (): Uint8Array => new Uint8Array(heap(), STACK_END, GUARD.length);
  const jq = await loadJq({
    instantiateWasm(imports, onSuccess) {
      const table: Record<string, Import> | undefined = imports["a"];
      replaceImports(table ?? {}, heap, streams);
      const instance = new (wasm().Instance)(module, imports);
      memory = Object.values(instance.exports).find(isMemory);
      onSuccess(instance, module);
    },
  });
  stackEnd().set(GUARD);
  return {
    run(own, filter, flags) {
      current = own;
      return jq.raw("", filter, flags).exitCode;
    },
    isIntact: () => GUARD.equals(stackEnd()),
  };
}

function replaceImports(
  table: Record<string, Import>,
  heap: () => ArrayBuffer,
  streams: () => JqStreams,
): void {
  // Builds shorten the keys, not the functions' names.
  const keys = new Map(Object.entries(table).map(([key, item]) => [item.name, key]));
  const replace = (name: string, make: (original: Import) => Import) => {
    const key = keys.get(name) ?? "";
    const original = table[key];
    if (original === undefined) {
      throw new Error(
        `This build of jq-wasm has no import named ${name}; install the pinned version.`,
      );
    }
    table[key] = make(original);
  };

  /** `move` gives how many bytes of the slice it took. */
  const transfer =
    (move: (slice: Uint8Array, file: number) => number): Import =>
    (file = 0, vectors = 0, count = 0, done = 0) => {
      let total = 0;
      for (const slice of slices(heap(), vectors, count)) {
        const bytes = slice.length === 0 ? 0 : move(slice, file);
        total += bytes;
        if (bytes < slice.length) break;
      }
      new DataView(heap()).setUint32(done, total, true);
      return 0;
    };
  replace("_fd_read", () => transfer((target, file) => streams().read(target, file)));
  replace("_fd_write", () =>
    transfer((bytes, file) => {
      if (file === 1) streams().write(bytes);
      else streams().writeError(bytes);
      return bytes.length;
    }),
  );
  replace("___syscall_openat", (original) => (folder = 0, path = 0, ...rest) => {
    const bytes = new Uint8Array(heap(), path);
    const name = Buffer.from(bytes.subarray(0, INPUT_PATH.length + 1)).toString("latin1");
    if (name !== `${INPUT_PATH}\0`) return -NO_SUCH_FILE;
    const file = original(folder, path, ...rest);
    streams().opened(Number(file));
    return file;
  });
  replace("_environ_sizes_get", () => (count = 0, bytes = 0) => {
    const view = new DataView(heap());
    view.setUint32(count, 0, true);
    view.setUint32(bytes, 0, true);
    return 0;
  });
  replace("_environ_get", () => () => 0);
  // For seconds beyond a JavaScript date this build returns 1900-01-00.
  replace("__gmtime_js", (original) => (seconds = 0, ...rest) => {
    if (Math.abs(Number(BigInt(seconds))) > MAX_SECONDS)
      throw new RangeError("the seconds are beyond those of a date");
    return original(seconds, ...rest);
  });
  // Beyond such a date this build throws; -1 makes it jq's own error.
  replace("__timegm_js", (original) => (...time) => {
    try {
      return original(...time);
    } catch {
      return -1n;
    }
  });
  // The time zone of the machine is unknown here.
  const utc = table[keys.get("__gmtime_js") ?? ""];
  replace("__localtime_js", (original) => utc ?? original);
  replace("_emscripten_resize_heap", (original) => (wanted = 0) => {
    return streams().mayGrow(wanted >>> 0) && original(wanted);
  });
}

function* slices(heap: ArrayBuffer, vectors: number, count: number): Iterable<Uint8Array> {
  const view = new DataView(heap);
  for (let i = 0; i < count; i += 1) {
    const entry = vectors + i * 8;
    yield new Uint8Array(heap, view.getUint32(entry, true), view.getUint32(entry + 4, true));
  }
}

function isMemory(item: unknown): item is { readonly buffer: ArrayBuffer } {
  return isRecord(item) && item["buffer"] instanceof ArrayBuffer;
}
