import type { Writable } from "node:stream";

import { writeLine } from "./transport/lines.js";
import { within } from "./transport/within.js";

/** Where the lines for the client go. */
export interface ClientOutput {
  /** Writes one line. The promise is there while the client takes no more. */
  write(line: Uint8Array | string): Promise<void> | undefined;
  /** Nobody waits for the client any more; lines are still written. */
  release(): void;
  /** Resolves when all is with the client, or it has not read for `maxMs`. */
  flush(maxMs: number): Promise<void>;
}

/** Writes lines to a stream that may be slow, or gone. */
export function clientOutput(stream: Writable): ClientOutput {
  let drained: Promise<void> | undefined;
  let stopWaiting: (() => void) | undefined;
  let isReleased = false;

  /** One promise for all that wait. */
  function untilDrained(): Promise<void> {
    drained ??= new Promise<void>((resolve) => {
      const stop = (): void => {
        stream.off("drain", stop);
        drained = undefined;
        resolve();
      };
      stream.on("drain", stop);
      stopWaiting = stop;
    });
    return drained;
  }

  function isGone(): boolean {
    return stream.destroyed || stream.writableEnded;
  }

  return {
    write(line) {
      if (isGone() || writeLine(stream, line) || isReleased) return undefined;
      return untilDrained();
    },
    release() {
      isReleased = true;
      stopWaiting?.();
    },
    async flush(maxMs) {
      if (isGone()) return;
      const written = new Promise<void>((resolve) => {
        stream.write("", () => resolve());
      });
      await within(written, maxMs);
    },
  };
}
