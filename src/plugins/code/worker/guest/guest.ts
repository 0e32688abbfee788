import { wasm } from "../../../../core/engines/wasm-runtime.js";
import type { CodeWorkerData } from "../../job.js";
import type { Box, GuestExports } from "./exports.js";
import { type GuestCalls, guestImports } from "./imports.js";

/** A promise of the guest's. */
type PromiseState = "pending" | "fulfilled" | "rejected";

/** One engine with a memory of its own, in which code runs. What is taken out of it is bounded before it is copied. */
export interface Guest {
  /** Evaluates a script; `isAsync` lets it await, and gives a promise of `{ value }`. 0 where it threw. */
  evaluate(code: string, fileName: string, isAsync: boolean): Box;
  /** Calls a function of the guest's; 0 where it threw. The arguments are freed. */
  call(callee: Box, ...args: readonly Box[]): Box;
  /** What was thrown last. */
  thrown(): Box;
  hostFunction(): Box;
  /** @throws {@link GuestMemoryError} when there is no room for it. */
  string(text: string | Uint8Array): Box;
  number(value: number): Box;
  undefined(): Box;
  null(): Box;
  /** Throws an error into the guest; what its host function then gives. */
  throwError(message: string): Box;
  /** A string, its first bytes where it is longer; `undefined` for every other value, and for none. Runs no code of the guest's. */
  text(value: Box | undefined, maxBytes: number): string | undefined;
  numberOf(value: Box | undefined): number | undefined;
  property(object: Box, name: string): Box;
  stateOf(promise: Box): PromiseState | undefined;
  /** What a promise was fulfilled or rejected with. */
  resultOf(promise: Box): Box;
  /** Which promise this is; no two that are there at once have the same. */
  identityOf(promise: Box): number;
  /** Runs the next job of a promise: whether there was one, or that it was ended by the clock. */
  runJob(): "none" | "done" | "threw";
  /** 0 is nothing. */
  free(value: Box): void;
  /** Calls `use` with some memory beyond the limit, for what is told of an error when there is none left. */
  withReserve<T>(use: () => T): T;
  /** Whether its memory, which never shrinks, has come to its limit. */
  isFull(): boolean;
}

/** Says that a value has no room in the guest. */
export class GuestMemoryError extends Error {}

const ASYNC = 1 << 7;
/** Of the engine's own functions: its 1 MiB stack has room for what it calls itself. */
const STACK_BYTES = 256 * 1024;
const RESERVE_BYTES = 1024 * 1024;
const FULL_SHARE = 0.9;
const ALL_INTRINSICS = 0xffffffff;
const STATES = ["pending", "fulfilled", "rejected"] as const;

/** Starts an engine. */
export function createGuest(
  { guestModule, guestMemoryBytes }: CodeWorkerData,
  calls: GuestCalls,
): Guest {
  const imports = guestImports(() => engine.memory.buffer, calls);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a module whose version is known
  const engine = new (wasm().Instance)(guestModule, imports).exports as unknown as GuestExports;
  engine._initialize();
  if (engine.qjs_init2(ALL_INTRINSICS) !== 0) throw new Error("The guest does not start.");
  engine.qjs_set_memory_limit(guestMemoryBytes);
  engine.qjs_set_max_stack_size(STACK_BYTES);
  engine.qjs_set_interrupt_handler(1);
  engine.qjs_set_promise_rejection_handler(1);
  const lengthAddress = allocate(4);
  let view = Buffer.from(engine.memory.buffer);

  /** Its memory, which moves when it grows. */
  function memory(): Buffer {
    if (view.buffer !== engine.memory.buffer) view = Buffer.from(engine.memory.buffer);
    return view;
  }

  function allocate(bytes: number): number {
    const address = engine.wasm_malloc(bytes);
    if (address === 0) throw new GuestMemoryError("out of memory");
    return address;
  }

  /** Calls `use` with the address of a text that ends with a zero, and its length. */
  function withText<T>(text: string | Uint8Array, use: (address: number, length: number) => T): T {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    const address = allocate(bytes.length + 1);
    const target = memory();
    target.set(bytes, address);
    target[address + bytes.length] = 0;
    try {
      return use(address, bytes.length);
    } finally {
      engine.wasm_free(address);
    }
  }

  function newString(text: string | Uint8Array): Box {
    return withText(text, (address, length) => engine.qjs_new_string(address, length));
  }

  function orThrown(box: Box): Box {
    if (engine.qjs_is_exception(box) === 0) return box;
    engine.qjs_free_value(box);
    return 0;
  }

  return {
    evaluate: (code, fileName, isAsync) =>
      withText(fileName, (name) =>
        withText(code, (address, length) =>
          orThrown(engine.qjs_eval(address, length, name, isAsync ? ASYNC : 0)),
        ),
      ),
    call(callee, ...args) {
      const boxes = allocate(args.length * 4 + 4);
      const target = memory();
      for (const [index, arg] of args.entries()) target.writeUInt32LE(arg, boxes + index * 4);
      const self = engine.qjs_get_undefined();
      const result = engine.qjs_call(callee, self, args.length, boxes);
      engine.wasm_free(boxes);
      for (const arg of [...args, self]) engine.qjs_free_value(arg);
      return orThrown(result);
    },
    thrown: () => engine.qjs_get_exception(),
    hostFunction: () =>
      withText("host", (address, length) => engine.qjs_new_host_function(address, length, 0)),
    string: newString,
    number: (value) => engine.qjs_new_number(value),
    undefined: () => engine.qjs_get_undefined(),
    null: () => engine.qjs_get_null(),
    throwError(message) {
      const error = engine.qjs_new_error();
      const text = newString(message);
      withText("message", (name) => engine.qjs_set_prop_string(error, name, text));
      engine.qjs_free_value(engine.qjs_throw(error));
      for (const box of [text, error]) engine.qjs_free_value(box);
      return 0;
    },
    text(value, maxBytes) {
      if (!value || engine.qjs_is_string(value) === 0) return undefined;
      const address = engine.qjs_get_string_len(value, lengthAddress);
      if (address === 0) return undefined;
      const bytes = memory();
      const length = Math.min(maxBytes, bytes.readUInt32LE(lengthAddress));
      const text = bytes.toString("utf8", address, address + length);
      engine.qjs_free_cstring(address);
      return text;
    },
    numberOf(value) {
      if (value === undefined || engine.qjs_is_number(value) === 0) return undefined;
      return engine.qjs_get_float64(value);
    },
    property: (object, name) =>
      withText(name, (address) => engine.qjs_get_prop_string(object, address)),
    stateOf(promise) {
      if (engine.qjs_is_promise(promise) === 0) return undefined;
      return STATES[engine.qjs_promise_state(promise)];
    },
    resultOf: (promise) => engine.qjs_promise_result(promise),
    identityOf: (promise) => engine.qjs_get_value_ptr(promise),
    runJob() {
      if (engine.qjs_is_job_pending() === 0) return "none";
      return engine.qjs_execute_pending_job() < 0 ? "threw" : "done";
    },
    free(value) {
      if (value !== 0) engine.qjs_free_value(value);
    },
    withReserve(use) {
      engine.qjs_set_memory_limit(guestMemoryBytes + RESERVE_BYTES);
      const result = use();
      engine.qjs_set_memory_limit(guestMemoryBytes);
      return result;
    },
    isFull: () => engine.memory.buffer.byteLength > guestMemoryBytes * FULL_SHARE,
  };
}
