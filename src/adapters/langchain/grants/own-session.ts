import type { BaseMessage } from "@langchain/core/messages";

import { OffloadError } from "../../../errors.js";
import { ARTIFACT_ID_PATTERN } from "../../../store/naming.js";
import { fieldOf } from "../../../util/field-of.js";
import type { RunSite } from "../run/call-site.js";
import { threadOf } from "../run/session.js";
import { messagesOf } from "../run/state-messages.js";

/** An agent that begins to work, as {@link SessionRule} is told. */
export interface SessionStart {
  /** The thread in which it runs, which a sub-agent has from its parent; `undefined` without one. */
  readonly threadId: string | undefined;
  /**
   * Ids of outputs in the messages that the agent begins with, such as the task that its parent wrote: those of the last
   * messages first, at most 100. A model wrote them: whether there are such outputs, and whose, only a grant says.
   */
  readonly named: readonly string[];
  /** What the application passed as `context`. */
  readonly context: unknown;
}

/** The session of an agent in place of its thread, and tokens of `offloader.grantTo` for what it may read of others. */
export interface AgentSession {
  readonly sessionId: string;
  readonly grants?: readonly string[];
}

/** Gives an agent a session of its own. What it throws fails the run, before any tool is called. */
export type SessionRule = (start: SessionStart) => AgentSession | Promise<AgentSession>;

/** Most text that is searched for ids, in UTF-16 code units. */
const MAX_SEARCHED_CHARACTERS = 262_144;
const MAX_NAMED = 100;

/** What the state of an agent with such a rule begins with. @throws what the rule throws */
export async function startOwnSession(
  rule: SessionRule,
  site: RunSite,
): Promise<{ readonly _offloadOwn: { sessionId: string; grants?: string[] } }> {
  const given: unknown = await rule({
    threadId: threadOf(site),
    named: namedIn(messagesOf(site.state)),
    context: site.context,
  });
  const [sessionId, grants] = [fieldOf(given, "sessionId"), fieldOf(given, "grants")];
  if (typeof sessionId !== "string" || sessionId === "" || !isTexts(grants)) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      "`session` of offloadMiddleware has to give { sessionId, grants? }: a text that is not empty, and a list of tokens.",
    );
  }
  return { _offloadOwn: { sessionId, ...(grants && { grants: [...grants] }) } };
}

function isTexts(value: unknown): value is readonly string[] | undefined {
  return (
    value === undefined ||
    (Array.isArray(value) && value.every((token) => typeof token === "string"))
  );
}

/** Ids as they stand alone or in a file name: a run of letters and digits of just an id's length. */
function namedIn(messages: readonly BaseMessage[]): readonly string[] {
  const ids = new Set<string>();
  let left = MAX_SEARCHED_CHARACTERS;
  for (const message of messages.toReversed()) {
    const text = message.text.slice(0, left);
    left -= text.length;
    for (const run of text.split(/[^0-9A-Za-z]/)) {
      if (ARTIFACT_ID_PATTERN.test(run)) ids.add(run);
      if (ids.size === MAX_NAMED) return [...ids];
    }
  }
  return [...ids];
}
