import { OffloadError } from "../errors.js";
import { artifactIdIn, scopeOf } from "../store/naming.js";
import { lifeMs } from "../util/option-rules.js";
import type { GrantTerms } from "./token.js";
import { MAX_GRANTED_OUTPUTS } from "./token.js";

/** What a session grants, and to whom. */
export interface GrantRequest {
  /** The session whose outputs they are: the LangGraph thread id. */
  readonly sessionId: string;
  /** The session that may read them; in any other the token is of no use. */
  readonly to: string;
  /**
   * Which outputs, at most 100: each by its id, file name or path. An empty list grants nothing. `"all"` stands for all
   * of the session, also for those that it stores later.
   */
  readonly outputs: "all" | readonly string[];
  /** How long, in milliseconds from 1 up; not beside `until`. @defaultValue `retention.ttlMs` */
  readonly ttlMs?: number;
  /** Until when, in Unix milliseconds, a time to come; from then on nothing is granted. */
  readonly until?: number;
}

/** @throws {@link OffloadError} with code `INVALID_ARGUMENTS`, naming what is wrong. */
export function checkRequest(
  given: Partial<Record<keyof GrantRequest, unknown>> | undefined,
  nowMs: number,
  defaultTtlMs: number,
): Omit<GrantTerms, "grantId"> {
  const { sessionId, to, outputs, ttlMs = defaultTtlMs, until } = given ?? {};
  if (typeof sessionId !== "string" || sessionId === "") {
    refuse("sessionId, the session whose outputs they are, a text that is not empty");
  }
  if (typeof to !== "string" || to === "") {
    refuse("to, the session that may read them, a text that is not empty");
  }
  if (until !== undefined && given?.ttlMs !== undefined) refuse("ttlMs or until, and not both");
  if (!isLife(ttlMs))
    refuse("ttlMs as a whole number of milliseconds from 1 to 8,000,000,000,000,000");
  const over = until ?? nowMs + ttlMs;
  if (!isLife(over) || over <= nowMs) refuse("until as a time to come, in Unix milliseconds");
  return {
    from: scopeOf(sessionId),
    to: scopeOf(to),
    outputs: outputs === "all" ? undefined : idsOf(outputs),
    until: over,
  };
}

function idsOf(outputs: unknown): readonly string[] {
  if (!Array.isArray(outputs) || outputs.length > MAX_GRANTED_OUTPUTS) {
    refuse(`outputs, a list of at most ${MAX_GRANTED_OUTPUTS} ids, or "all"`);
  }
  const ids = outputs.map((output: unknown, index) => {
    const id = typeof output === "string" ? artifactIdIn(output) : undefined;
    return id ?? refuse(`outputs[${index}] as the id, file name or path of a stored output`);
  });
  return [...new Set(ids)];
}

function isLife(value: unknown): value is number {
  return lifeMs.safeParse(value).success;
}

function refuse(needed: string): never {
  throw new OffloadError("INVALID_ARGUMENTS", `grantTo() needs ${needed}.`);
}
