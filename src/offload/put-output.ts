import { OffloadError } from "../errors.js";
import { lifeMs } from "../util/option-rules.js";
import type { OffloadedOutput, OffloadResult, ToolOutput } from "../types.js";
import type { WalkedOutput } from "./walked-output.js";

/** Where a value belongs that is put by hand, and what is said of it. */
export interface PutOptions extends Pick<ToolOutput, "title" | "origin" | "turn" | "signal"> {
  /** The session that may drill into it: the LangGraph thread id. */
  readonly sessionId: string;
  /**
   * The tool that it comes from: `scope.perTool` holds, and file name, summary and events have it.
   *
   * @defaultValue `"put"`, or `"user_message"` for a message of the user
   */
  readonly toolName?: string;
  /** How long it lives, in milliseconds from 1 up. @defaultValue `retention.ttlMs` */
  readonly ttlMs?: number;
  /** @defaultValue that of `describe` */
  readonly form?: "auto" | "full" | "generic" | "bare";
}

/** Stores one value, whatever its size. */
export type Put = (value: unknown, options: PutOptions) => Promise<OffloadedOutput>;

/** What putting works with. */
interface PutParts {
  readonly optionsOf: (output: ToolOutput) => WalkedOutput["options"];
  /** Walks an output that has to be stored, or rejects. */
  readonly walk: (walked: Pick<WalkedOutput, "output" | "options">) => Promise<OffloadResult>;
}

/** Makes the walk of values that code puts, whoever is to read them. */
export function createPut({ optionsOf, walk }: PutParts): Put {
  return async (value, given) => {
    check(given);
    const { ttlMs, form, toolName = given.origin === "user" ? "user_message" : "put" } = given;
    const { sessionId, title, origin, turn, signal } = given;
    const output: ToolOutput = {
      toolName,
      value,
      sessionId,
      title,
      origin,
      turn,
      signal,
      always: true,
      overrides: form === undefined ? undefined : { form },
    };
    const options = optionsOf(output);
    const result = await walk({ output, options: { ...options, ttlMs: ttlMs ?? options.ttlMs } });
    if (result.outcome === "offloaded") return result;
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      "This value has no text to store. Put text, JSON, content blocks with text, or a stream of these.",
    );
  };
}

/** The error of a put whose value is not stored. */
export function putError(error: unknown): OffloadError {
  if (OffloadError.isInstance(error)) return error;
  const cause = error instanceof Error ? error.message : String(error);
  return new OffloadError("STORE_WRITE_FAILED", `The value could not be stored: ${cause}`, {
    cause: error,
  });
}

function check(given: Partial<Record<keyof PutOptions, unknown>> | undefined): void {
  const { sessionId, title, toolName, ttlMs } = given ?? {};
  if (typeof sessionId !== "string" || sessionId === "") {
    refuse("sessionId, such as the LangGraph thread id, a text that is not empty");
  }
  if (title !== undefined && typeof title !== "string") refuse("title as text");
  if (toolName !== undefined && typeof toolName !== "string") refuse("toolName as text");
  if (ttlMs !== undefined && !lifeMs.safeParse(ttlMs).success) {
    refuse("ttlMs as a whole number of milliseconds from 1 to 8,000,000,000,000,000");
  }
}

function refuse(needed: string): never {
  throw new OffloadError("INVALID_ARGUMENTS", `put() needs ${needed}.`);
}
