import { StreamFault } from "../../content/stream/held-stream.js";
import { OffloadError } from "../../types/errors.js";
import { lifeMs } from "../../../util/option-rules.js";
import type { ToolOutput } from "../../types/output.js";
import type { OffloadedOutput, OffloadResult } from "../../types/result.js";

/**
 * Where a value belongs that is put by hand, and what is said of it. Drill-ins of this process take its `title` as they take
 * its id: of what a user has uploaded, the name by which the model has heard of it.
 */
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

/** Walks an output that has to be stored. @throws what keeps it from that */
type WalkPut = (output: ToolOutput, ttlMs: number | undefined) => Promise<OffloadResult>;

/** Makes the walk of values that code puts, whoever is to read them. */
export function createPut(walkPut: WalkPut): Put {
  return async (value, given) => {
    check(given);
    const { ttlMs, form, sessionId, title, origin, turn, signal } = given;
    const toolName = given.toolName ?? (origin === "user" ? "user_message" : "put");
    const overrides = form === undefined ? undefined : { form };
    const output = { toolName, value, sessionId, title, origin, turn, signal, overrides };
    const result = await walkPut(output, ttlMs).catch(faultItself);
    if (result.outcome === "offloaded") return result;
    throw new OffloadError(
      "INVALID_ARGUMENTS",
      "This value has no text to store. Put text, JSON, content blocks with text, or a stream of these.",
    );
  };
}

/** @throws what the tool's own stream threw, or the error. */
function faultItself(error: unknown): never {
  throw error instanceof StreamFault ? error.thrown : error;
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
