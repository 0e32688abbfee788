import type { OffloadListener } from "../../events.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadedOutput } from "../../types/result.js";

/** What a drill-in has made of stored outputs, to be stored as an output of its own. */
interface MadeValue extends Pick<
  ToolOutput,
  "toolName" | "toolCallId" | "args" | "title" | "turn" | "signal" | "derivedFrom"
> {
  /** UTF-8 of text or JSON. */
  readonly value: AsyncIterable<Uint8Array>;
  /** The hashed session. */
  readonly scope: string;
  /** Told of what happens to it, beside those who always are. */
  readonly onEvent?: OffloadListener | undefined;
}

/**
 * Stores it, whatever its size.
 *
 * @throws {@link OffloadError} with code `STORE_WRITE_FAILED`, and what the value throws while it is read.
 */
export type KeepMade = (made: MadeValue) => Promise<OffloadedOutput>;
