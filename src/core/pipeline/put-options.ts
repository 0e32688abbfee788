import * as z from "zod";

import { OffloadError } from "../types/errors.js";
import { lifeMs } from "../../util/option-rules.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadedOutput } from "../types/result.js";

/**
 * Session and description of a value that is stored by code. Drill-ins in this process accept the `title` in place of
 * the id, for example the file name of a user's upload.
 */
export interface PutOptions extends Pick<ToolOutput, "title" | "turn" | "signal" | "tags"> {
  /** The session that may drill into it, such as the LangGraph thread id. */
  readonly sessionId: string;
  /**
   * The tool that it comes from. Its `perTool` options apply, and it appears in the file name, the summary and
   * events.
   *
   * @defaultValue `"put"`
   */
  readonly toolName?: string;
  /** Lifetime in milliseconds, at least 1. @defaultValue `retention.ttlMs` */
  readonly ttlMs?: number;
  /** @defaultValue that of `describe` */
  readonly form?: "auto" | "generic" | "bare";
}

/** Stores one value of any size. */
export type Put = (value: unknown, options: PutOptions) => Promise<OffloadedOutput>;

const rule = z.object({
  sessionId: z.string().min(1),
  title: z.string().optional(),
  toolName: z.string().optional(),
  ttlMs: lifeMs.optional(),
});

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS` */
export function checkPut(given: PutOptions): void {
  if (rule.safeParse(given).success) return;
  throw new OffloadError(
    "INVALID_ARGUMENTS",
    "put() needs sessionId, such as the LangGraph thread id, as a non-empty string, and, if given, title and toolName as strings and ttlMs as a whole number of milliseconds from 1 to 8,000,000,000,000,000.",
  );
}
