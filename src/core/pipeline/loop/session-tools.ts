import { modelTools as toolsOf } from "../../drill-in/model-tools.js";
import { OffloadError } from "../../types/errors.js";
import { sessionKeyOf } from "../../store/naming.js";
import type { ShownMedia } from "../../types/media.js";
import { internals, type Offloader } from "../offloader.js";

/** A tool of this library as any loop can offer it: what a model is told of it, and what runs it. */
export interface SessionTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Runs one call. `failed` says that the text tells what went wrong, and what to do about it; `shown` is the file that the
   * model is shown behind the text, with the option `media`. Rejects only with the signal's reason when it aborts.
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

/**
 * The drill-in tools for a loop of your own: give `name`, `description` and `parameters` to your model, and its
 * calls of these names to `run`. They reach what `offload` or `put` stored for the same session, and what the option
 * `access` lets it read.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when `sessionId` is no text, or is empty.
 */
export function modelTools(
  offloader: Offloader,
  { sessionId }: { readonly sessionId: string },
): readonly SessionTool[] {
  if (typeof sessionId !== "string" || sessionId === "")
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      "modelTools() needs sessionId, a text that is not empty: the one that the outputs are offloaded with.",
    );
  const sessionKey = sessionKeyOf(sessionId);
  const access = internals(offloader).accessOf(sessionId);
  return toolsOf({ ...offloader.options, ...offloader }).map(({ run, ...shown }) => ({
    ...shown,
    run: (args, signal) => run(args, { sessionKey, access, signal }),
  }));
}
