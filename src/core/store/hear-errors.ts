/** What a pool or a client says of a connection that it has lost while nobody used it. */
export interface ErrorEmitter {
  on?(event: "error", listener: (error: Error) => void): unknown;
}

const heard = new WeakSet<ErrorEmitter>();

/**
 * Listens to the errors of a pool or a client, however many stores share it: a connection that the server ends is one,
 * and unheard it would end the process. The next call connects anew, and what keeps it from that is its own error.
 */
export function hearErrors(emitter: ErrorEmitter): void {
  if (emitter.on === undefined || heard.has(emitter)) return;
  heard.add(emitter);
  emitter.on("error", () => undefined);
}
