import { randomFillSync } from "node:crypto";

import type { QuickJS } from "quickjs-wasi";

import { wasm } from "../../../core/engines/wasm-runtime.js";
import type { CodeWorkerData } from "../request.js";
import { PRELUDE } from "./prelude.js";

export type Box = number;

interface SandboxCalls {
  readonly host: (args: readonly Box[]) => Box;
  readonly isStopped: () => boolean;
}

type Engine = ReturnType<QuickJS["_getExports"]>;

export class SandboxMemoryError extends Error {}

/** An error that the code sees. */
export class SandboxFault extends Error {}

export class TimeOver extends Error {}

const NANOSECONDS = 1_000_000n;
const noFile = () => 8;
const STACK_BYTES = 256 * 1024;
const RESERVE_BYTES = 1024 * 1024;
const ALL_INTRINSICS = 0xffffffff;
const WORD_BYTES = 4;
const MAX_REJECTIONS = 100;
const [PENDING, REJECTED] = [0, 2];

export class SandboxVm {
  calls: SandboxCalls | undefined;
  readonly #engine: Engine;
  readonly #memoryBytes: number;
  readonly #lengthAddress: number;
  readonly #prelude: Box;
  readonly #rejections = new Map<number, { readonly promise: Box; readonly reason: Box }>();
  #view = Buffer.alloc(0);

  constructor({ sandboxModule, sandboxMemoryBytes }: CodeWorkerData) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a module whose version is known
    const engine = new (wasm().Instance)(sandboxModule, this.#imports())
      .exports as unknown as Engine;
    this.#engine = engine;
    this.#memoryBytes = sandboxMemoryBytes;
    engine._initialize();
    engine.qjs_init2(ALL_INTRINSICS);
    engine.qjs_set_memory_limit(sandboxMemoryBytes);
    engine.qjs_set_max_stack_size(STACK_BYTES);
    engine.qjs_set_interrupt_handler(1);
    engine.qjs_set_promise_rejection_handler(1);
    this.#lengthAddress = this.#allocate(WORD_BYTES);
    const prelude = this.evaluate(PRELUDE, "outputs.js");
    const host = this.#withText("host", (address, length) =>
      engine.qjs_new_host_function(address, length, 0),
    );
    this.#prelude = this.#call(prelude, [host]);
  }

  evaluate(code: string, fileName: string): Box {
    return this.#withText(fileName, (name) =>
      this.#withText(code, (address, length) =>
        this.#orThrown(this.#engine.qjs_eval(address, length, name, 0)),
      ),
    );
  }

  call(name: "offer" | "finish" | "explain" | "settle", ...args: readonly Box[]): Box {
    const callee = this.property(this.#prelude, name);
    const result = this.#call(callee, args);
    this.free(callee);
    return result;
  }

  thrown(): Box {
    return this.#engine.qjs_get_exception();
  }

  /** @throws {@link SandboxMemoryError} when there is no room for it. */
  box(value: string | number | null | undefined): Box {
    if (value === undefined) return this.#engine.qjs_get_undefined();
    if (value === null) return this.#engine.qjs_get_null();
    if (typeof value === "number") return this.#engine.qjs_new_number(value);
    return this.#withText(value, (address, length) => this.#engine.qjs_new_string(address, length));
  }

  /** Throws the text, of which the prelude makes an error. */
  throwText(message: string): Box {
    const text = this.box(message);
    for (const box of [this.#engine.qjs_throw(text), text]) this.free(box);
    return 0;
  }

  /** The start of a string; `undefined` for any other value. Runs no code of the vm. */
  text(value: Box | undefined, maxBytes: number): string | undefined {
    if (!value || this.#engine.qjs_is_string(value) === 0) return undefined;
    const address = this.#engine.qjs_get_string_len(value, this.#lengthAddress);
    if (address === 0) return undefined;
    const bytes = this.#memory();
    const length = Math.min(maxBytes, bytes.readUInt32LE(this.#lengthAddress));
    const text = bytes.toString("utf8", address, address + length);
    this.#engine.qjs_free_cstring(address);
    return text;
  }

  numberOf(value: Box | undefined): number | undefined {
    if (value === undefined || this.#engine.qjs_is_number(value) === 0) return undefined;
    return this.#engine.qjs_get_float64(value);
  }

  property(object: Box, name: string): Box {
    return this.#withText(name, (address) => this.#engine.qjs_get_prop_string(object, address));
  }

  /** The value of the code's promise, or why it or another one was rejected; nothing if it is pending. */
  settled(promise: Box): { readonly value?: Box; readonly reason?: Box } {
    const state = this.#engine.qjs_promise_state(promise);
    if (state === PENDING) return {};
    const value = this.#engine.qjs_promise_result(promise);
    if (state === REJECTED) return { reason: value };
    const [first] = this.#rejections.values();
    return first === undefined ? { value } : { reason: first.reason };
  }

  hasJob(): boolean {
    return this.#engine.qjs_is_job_pending() !== 0;
  }

  /** What ended the job and no code can catch: the end of the time or of the memory. */
  runJob(): Box | undefined {
    return this.#engine.qjs_execute_pending_job() < 0 ? this.thrown() : undefined;
  }

  free(value: Box): void {
    if (value !== 0) this.#engine.qjs_free_value(value);
  }

  withReserve<T>(use: () => T): T {
    this.#engine.qjs_set_memory_limit(this.#memoryBytes + RESERVE_BYTES);
    const result = use();
    this.#engine.qjs_set_memory_limit(this.#memoryBytes);
    return result;
  }

  /**
   * All that the vm reaches outside its memory: host calls, a UTC clock, and random bytes. Files,
   * modules and output return errors.
   */
  #imports(): object {
    return {
      env: {
        host_call: (_name: number, _length: number, _self: number, count: number, boxes: number) =>
          this.calls?.host(
            Array.from({ length: count }, (_, index) =>
              this.#memory().readUInt32LE(boxes + index * WORD_BYTES),
            ),
          ) ?? 0,
        host_interrupt: () => (this.calls?.isStopped() ? 1 : 0),
        host_promise_rejection: (promise: Box, reason: Box, isHandled: number) =>
          this.#noteRejection(promise, reason, isHandled !== 0),
        host_module_normalize: () => 0,
        host_module_load: () => 0,
        host_get_timezone_offset: () => 0,
      },
      wasi_snapshot_preview1: {
        clock_time_get: (_clock: number, _precision: bigint, address: number) => {
          this.#memory().writeBigUInt64LE(BigInt(Date.now()) * NANOSECONDS, address);
          return 0;
        },
        random_get: (address: number, length: number) => {
          randomFillSync(this.#memory().subarray(address, address + length));
          return 0;
        },
        fd_write: noFile,
        fd_fdstat_get: noFile,
        fd_close: noFile,
        fd_seek: noFile,
      },
    };
  }

  #call(callee: Box, args: readonly Box[]): Box {
    const boxes = this.#allocate((args.length + 1) * WORD_BYTES);
    const target = this.#memory();
    for (const [index, arg] of args.entries())
      target.writeUInt32LE(arg, boxes + index * WORD_BYTES);
    const self = this.box(undefined);
    const result = this.#engine.qjs_call(callee, self, args.length, boxes);
    this.#engine.wasm_free(boxes);
    for (const box of [...args, self]) this.free(box);
    return this.#orThrown(result);
  }

  #orThrown(box: Box): Box {
    if (this.#engine.qjs_is_exception(box) === 0) return box;
    this.free(box);
    return 0;
  }

  #noteRejection(promise: Box, reason: Box, isHandled: boolean): void {
    const identity = this.#engine.qjs_get_value_ptr(promise);
    const before = this.#rejections.get(identity);
    // A kept entry holds its promise, so that its address is not reused.
    if (!isHandled && before === undefined && this.#rejections.size < MAX_REJECTIONS) {
      this.#rejections.set(identity, { promise, reason });
      return;
    }
    for (const box of [promise, reason]) this.free(box);
    if (!isHandled || before === undefined) return;
    this.#rejections.delete(identity);
    for (const box of [before.promise, before.reason]) this.free(box);
  }

  #memory(): Buffer {
    const { buffer } = this.#engine.memory;
    if (this.#view.buffer !== buffer) this.#view = Buffer.from(buffer);
    return this.#view;
  }

  #allocate(bytes: number): number {
    const address = this.#engine.wasm_malloc(bytes);
    if (address === 0) throw new SandboxMemoryError("out of memory");
    return address;
  }

  #withText<T>(text: string, use: (address: number, length: number) => T): T {
    const length = Buffer.byteLength(text);
    const address = this.#allocate(length + 1);
    const target = this.#memory();
    target.write(text, address);
    target[address + length] = 0;
    try {
      return use(address, length);
    } finally {
      this.#engine.wasm_free(address);
    }
  }
}
