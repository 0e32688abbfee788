import type { IncomingMessage } from "node:http";

import { isRecord } from "../../../util/is-record.js";
import { isEventStream, refusalIn } from "./http-answer.js";
import { bodyOf } from "./http-request.js";
import { withValueAt } from "../../../core/content/json/json-text.js";
import { readMessages } from "../message.js";
import { eventsOf } from "./server-sent-events.js";

/** What names a session to its server. */
export interface ServerSession {
  readonly id: string | undefined;
  /** Of the protocol, as the server has chosen it. */
  readonly version: string | undefined;
}

/** Sends a message in this session. */
type Post = (text: string, of: ServerSession, signal: AbortSignal) => Promise<IncomingMessage>;

/** What a header may carry here: printable ASCII. */
export const HEADER_VALUE: RegExp = /^[\x20-\x7e]{1,1024}$/;

const RENEWAL_ID = '"langchain-offload-session"';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const NO_SESSION: ServerSession = { id: undefined, version: undefined };
/** How long a new session may take: every other message waits for it. */
const MAX_RENEWAL_MS = 30_000;

/**
 * Shakes hands again, as the client did.
 *
 * @param initialize - The client's own message.
 * @throws Error when the server refuses any step, breaks off, or takes longer than half a minute.
 */
export async function renewedSession(
  initialize: string,
  maxBytes: number,
  post: Post,
): Promise<ServerSession> {
  const signal = AbortSignal.timeout(MAX_RENEWAL_MS);
  const response = await post(withValueAt(initialize, ["id"], RENEWAL_ID), NO_SESSION, signal);
  await checked(response);
  const id = sessionIdIn(response);
  const session = { id, version: await versionIn(response, maxBytes) };
  const told = await post(INITIALIZED, session, signal);
  await checked(told);
  told.resume();
  return session;
}

/** The id under which the server keeps the session that it has begun. */
export function sessionIdIn({ headers }: IncomingMessage): string | undefined {
  const id = headers["mcp-session-id"];
  return typeof id === "string" ? id : undefined;
}

/** The version that an answer to `initialize` names; `undefined` for a message that is no such answer. */
export function answerIn(text: Buffer): { readonly version: string | undefined } | undefined {
  const results = (readMessages(text.toString("utf8")) ?? []).map(({ result }) => result);
  const result = results.find(isRecord);
  if (result === undefined) return undefined;
  const named = result["protocolVersion"];
  return { version: typeof named === "string" && HEADER_VALUE.test(named) ? named : undefined };
}

async function checked(response: IncomingMessage): Promise<void> {
  const refusal = await refusalIn(response);
  if (refusal !== undefined) throw new Error(refusal.reason);
}

async function versionIn(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  if (isEventStream(response)) {
    for await (const { data } of eventsOf(response, maxBytes)) {
      const answer = Buffer.isBuffer(data) ? answerIn(data) : undefined;
      if (answer !== undefined) return answer.version;
    }
  } else {
    const answer = answerIn(await bodyOf(response, maxBytes));
    if (answer !== undefined) return answer.version;
  }
  throw new Error("it gave no answer to the handshake");
}
