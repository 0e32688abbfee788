import { modelTools, type ModelToolSources } from "../drill-in/model-tools.js";
import { OffloadError } from "../types/errors.js";
import { sessionKeyOf } from "../store/naming.js";
import type { AccessOf } from "../types/access.js";
import type { ShownMedia } from "../types/media.js";

/** A drill-in tool for any agent loop. */
export interface SessionTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Runs one call. `failed` means that the text says what went wrong and what to do. `shown` is the file that the
   * model is shown after the text, with the option `media`. Rejects only with the signal's reason when it aborts.
   *
   * @param args - What the model passed, unchecked: an object, or its JSON as text.
   */
  readonly run: (
    args: unknown,
    signal?: AbortSignal,
  ) => Promise<{
    readonly text: string;
    readonly failed: boolean;
    readonly shown?: ShownMedia;
  }>;
}

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when `sessionId` is no text, or is empty. */
export function sessionTools(
  offloader: ModelToolSources,
  sessionId: string,
  accessOf: AccessOf,
): readonly SessionTool[] {
  if (typeof sessionId !== "string" || sessionId === "")
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      "tools() needs the session id that the outputs are offloaded with, as a non-empty string.",
    );
  const sessionKey = sessionKeyOf(sessionId);
  const access = accessOf(sessionId);
  return modelTools(offloader).map(({ run, ...shown }) => ({
    ...shown,
    run: (args, signal) => run(args, { sessionKey, access, signal }),
  }));
}
