import type { ZodType } from "zod";

import { withDeadline } from "../util/abort.js";
import { callback, wholeNumber } from "../util/option-rules.js";

/** Options of every store that uses a service. */
export interface SharedStoreOptions {
  /**
   * Time limit for one request to the service, in milliseconds. A request of S3 includes the client's retries.
   * @defaultValue 30,000; 10,000 for Redis
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

export const sharedOptions: { readonly timeoutMs: ZodType; readonly now: ZodType } = {
  timeoutMs: wholeNumber(1, 3_600_000).optional(),
  now: callback.optional(),
};

export type Bounded = <T>(action: string, job: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export function boundedBy(service: string, timeoutMs: number): Bounded {
  return (action, job) => {
    const late = `${service} has not answered ${action} within ${timeoutMs} ms.`;
    return withDeadline({ timeoutMs, late }, job);
  };
}

export interface ErrorEmitter {
  on?(event: "error", listener: (error: Error) => void): unknown;
}

const heard = new WeakSet<ErrorEmitter>();

/** When the server ends a connection, the emitter reports an error, which would end the process without a listener. */
export function hearErrors(emitter: ErrorEmitter): void {
  if (emitter.on === undefined || heard.has(emitter)) return;
  heard.add(emitter);
  emitter.on("error", () => undefined);
}
