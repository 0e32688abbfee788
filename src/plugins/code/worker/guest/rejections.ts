import type { Guest } from "./guest.js";
import type { Box } from "./exports.js";
import type { GuestCalls } from "./imports.js";

/** Promises that were rejected while nobody waited for them. */
export interface Rejections {
  readonly note: GuestCalls["rejected"];
  /** Why the first of them was rejected. */
  first(): Box | undefined;
}

/** More are not kept: each is a value in the guest's memory. */
const MAX_KEPT = 100;

export function createRejections(guest: Guest): Rejections {
  const kept = new Map<number, { readonly promise: Box; readonly reason: Box }>();

  function free(promise: Box, reason: Box): void {
    guest.free(promise);
    guest.free(reason);
  }

  return {
    note(promise, reason, isHandled) {
      const identity = guest.identityOf(promise);
      const before = kept.get(identity);
      if (isHandled) {
        kept.delete(identity);
        if (before !== undefined) free(before.promise, before.reason);
      }
      // What is kept holds its promise, so that no other one gets its place.
      if (isHandled || before !== undefined || kept.size >= MAX_KEPT) free(promise, reason);
      else kept.set(identity, { promise, reason });
    },
    first() {
      const [first] = kept.values();
      return first?.reason;
    },
  };
}
