import { randomFillSync } from "node:crypto";

/** Where a value stands in the guest's memory; 0 is none. Each belongs to whoever got it, and is freed once. */
export type Box = number;

/** What a guest calls while its code runs. Whatever it throws ends the guest. */
export interface GuestCalls {
  /** The one function that the guest has of its host; gives a value, or 0 where an error was thrown into the guest. */
  readonly host: (args: readonly Box[]) => Box;
  readonly isStopped: () => boolean;
}

/** A promise was rejected, or later handled after all. */
type Rejected = (promise: Box, reason: Box, isHandled: boolean) => void;

const NANOSECONDS = 1_000_000n;
const BAD_FILE = 8;
const NOT_THERE = 52;
const DONE = 0;
/** Of the address of a value in an array of them. */
const ADDRESS_BYTES = 4;

/**
 * All that the guest can reach outside of its memory: our calls, a clock in UTC, and random bytes. Files, modules and
 * output are answered with errors.
 */
export function guestImports(
  memory: () => ArrayBuffer,
  calls: GuestCalls & { readonly rejected: Rejected },
): object {
  return {
    env: {
      host_call(_name: number, _length: number, _self: number, count: number, boxes: number) {
        const view = new DataView(memory());
        const args: Box[] = [];
        for (let index = 0; index < count; index += 1)
          args.push(view.getUint32(boxes + index * ADDRESS_BYTES, true));
        return calls.host(args);
      },
      host_interrupt: () => (calls.isStopped() ? 1 : 0),
      host_promise_rejection(promise: Box, reason: Box, isHandled: number) {
        calls.rejected(promise, reason, isHandled !== 0);
      },
      host_module_normalize: () => 0,
      host_module_load: () => 0,
      host_get_timezone_offset: () => 0,
    },
    wasi_snapshot_preview1: {
      clock_time_get(_clock: number, _precision: bigint, address: number) {
        const time = BigInt(Date.now()) * NANOSECONDS;
        new DataView(memory()).setBigUint64(address, BigInt.asUintN(64, time), true);
        return DONE;
      },
      random_get(address: number, length: number) {
        randomFillSync(new Uint8Array(memory(), address, length));
        return DONE;
      },
      fd_write: () => BAD_FILE,
      fd_fdstat_get: () => BAD_FILE,
      fd_close: () => NOT_THERE,
      fd_seek: () => NOT_THERE,
    },
  };
}
