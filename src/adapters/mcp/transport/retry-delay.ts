/** Wait before connecting again, when the server states none. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Shortest wait, whatever the server states. */
const MIN_RETRY_MS = 100;

/**
 * Milliseconds to wait before a stream is asked for again: what the server states, in bounds. Connections that fail
 * make it double, from a second to half a minute; while those that hold bring no message, it grows to a second.
 *
 * @param statedMs - Of the stream's last `retry`.
 * @param failures - Connections in a row that gave no event.
 * @param idle - Connections in a row that gave no message.
 */
export function retryDelayMs(statedMs: number | undefined, failures: number, idle: number): number {
  const leastMs =
    failures > 0
      ? RETRY_MS * 2 ** Math.min(failures - 1, 5)
      : Math.min(MIN_RETRY_MS * 2 ** Math.min(idle, 5), RETRY_MS);
  return Math.min(Math.max(statedMs ?? RETRY_MS, leastMs), MAX_RETRY_MS);
}
