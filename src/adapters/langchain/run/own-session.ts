import { OffloadError } from "../../../core/types/errors.js";
import type { RunSite } from "./call-site.js";
import { threadOf } from "./session.js";

/** An agent that begins to work, as {@link SessionRule} is told. */
export interface SessionStart {
  /** The thread in which it runs, which a sub-agent has from its parent; `undefined` without one. */
  readonly threadId: string | undefined;
  /** What the application passed as `context`. */
  readonly context: unknown;
}

/** Gives an agent the id of a session of its own. What it throws fails the run, before any tool is called. */
export type SessionRule = (start: SessionStart) => string | Promise<string>;

/** What the state of an agent with such a rule begins with. @throws what the rule throws */
export async function startOwnSession(
  rule: SessionRule,
  site: RunSite,
): Promise<{ readonly _offloadOwn: string }> {
  const sessionId: unknown = await rule({ threadId: threadOf(site), context: site.context });
  if (typeof sessionId === "string" && sessionId !== "") return { _offloadOwn: sessionId };
  throw new OffloadError(
    "INVALID_OPTIONS",
    "`session` of offloadMiddleware has to give the id of a session, a text that is not empty.",
  );
}
