import { setImmediate } from "node:timers/promises";

/** Bytes worked on between two turns of the event loop; a scan of so many takes a few milliseconds. */
export const BYTES_BETWEEN_PAUSES: number = 1 << 20;

/** Hands the event loop a turn. */
export async function pause(): Promise<void> {
  await setImmediate();
}
