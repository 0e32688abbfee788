import { setImmediate } from "node:timers/promises";

/** Bytes worked on between two turns of the event loop: a few milliseconds, also of code that is not compiled yet. */
export const BYTES_BETWEEN_PAUSES: number = 1 << 18;

/** Hands the event loop a turn. */
export async function pause(): Promise<void> {
  await setImmediate();
}
