import type { ToolOutput } from "../../core/types/output.js";
import type { OffloadedOutput } from "../../core/types/result.js";
import type { RunningCall } from "../../core/types/running-call.js";

/** What a drill-in has made of stored outputs, to be stored as an output of its own. */
interface MadeValue extends Pick<ToolOutput, "title" | "derivedFrom"> {
  /** UTF-8 of text or JSON. */
  readonly value: AsyncIterable<Uint8Array>;
}

/**
 * Stores it for the call that has made it, whatever its size.
 *
 * @throws {@link OffloadError} with code `STORE_WRITE_FAILED`, and what the value throws while it is read.
 */
export type KeepMade = (made: MadeValue, call: MakingCall) => Promise<OffloadedOutput>;

/** A call that makes something has a name for where it comes from. */
type MakingCall = RunningCall & { readonly toolName: string };
