import { withDeadline } from "../../../util/abort.js";
import type { Message } from "../message.js";
import type { LongMessage } from "./framing.js";

export interface Forwarded {
  readonly forward: string;
  /** Aborts when nobody waits for an answer any more. */
  readonly until?: AbortSignal;
  /** The request that this message cancels: over when the server has been told. */
  readonly cancels?: AbortController | undefined;
}

export interface Upstream {
  send(message: Message, forwarded: Forwarded): Promise<void> | undefined;
  close(isAtOnce: boolean): Promise<string | undefined>;
}

export interface UpstreamHost {
  readonly onMessage: (line: string | LongMessage) => Promise<void> | undefined;
  readonly onFailed: (message: Message, reason: string) => void;
  readonly onEnd: (reason: string) => void;
  readonly warn: (sentence: string) => void;
  readonly maxMessageBytes: number;
}

export function isRequest({ key, method }: Message): boolean {
  return key !== undefined && method !== undefined;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}

/** Resolves `true` when the promise settles, `false` after `timeoutMs`. Never rejects. */
export async function within(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = promise.then(nothing, nothing);
  return await withDeadline({ timeoutMs, late: "late" }, () => settled).then(
    () => true,
    () => false,
  );
}

export function nothing(): void {}
