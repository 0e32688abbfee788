import type { CodeJob, CodeWorkerData } from "../../job.js";
import { createGuest, type Guest } from "./guest.js";
import type { Box } from "./exports.js";
import type { GuestCalls } from "./imports.js";
import { PRELUDE } from "./prelude.js";

/** A guest in which no code has run yet, with what its host calls. */
export interface FreshGuest {
  readonly guest: Guest;
  /** Hands a value to the host. */
  readonly finish: Box;
  /** Tells of an error. */
  readonly explain: Box;
  /** Settles the promise of a call. */
  readonly settle: Box;
  /** Tells whether a text compiles as the body of an asynchronous function: 1 or 0. */
  readonly compiles: Box;
}

const PRELUDE_FILE = "outputs.js";

export function createFreshGuest(
  data: CodeWorkerData,
  calls: GuestCalls,
  { toolNames }: Pick<CodeJob, "toolNames">,
): FreshGuest {
  const guest = createGuest(data, calls);
  const prelude = guest.evaluate(PRELUDE, PRELUDE_FILE, false);
  const names = guest.string(JSON.stringify(toolNames));
  const functions = prelude === 0 ? 0 : guest.call(prelude, guest.hostFunction(), names);
  if (functions === 0) throw new Error("The prelude of the guest does not run.");
  return {
    guest,
    finish: guest.property(functions, "finish"),
    explain: guest.property(functions, "explain"),
    settle: guest.property(functions, "settle"),
    compiles: guest.property(functions, "compiles"),
  };
}
