import type { IncomingMessage } from "node:http";

import { isSameId, type Message, readMessages } from "../message.js";
import { bodyOf } from "./http-request.js";
import { isRequest } from "./upstream.js";

/** An answer of a server that is none to the message. */
export interface Refusal {
  readonly status: number;
  readonly body: Buffer;
  /** In a sentence, such as `The server answered HTTP 500 Internal Server Error: …`, with all of its words. */
  readonly reason: string;
}

/** Bytes of a refusal that are read. */
const MAX_BODY_BYTES = 65_536;
/** How long a refusal's words are waited for. */
const MAX_BODY_MS = 5_000;

/** Whether a response brings server-sent events. */
export function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

/** What a response says that is no success; `undefined` for one that is. Never rejects. */
export async function refusalIn(response: IncomingMessage): Promise<Refusal | undefined> {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return undefined;
  const late = setTimeout(() => response.destroy(), MAX_BODY_MS);
  const body = await bodyOf(response, MAX_BODY_BYTES).catch(() => Buffer.alloc(0));
  clearTimeout(late);
  const said = body.toString("utf8").replaceAll(/\s+/g, " ").trim();
  const named = `HTTP ${status} ${response.statusMessage ?? ""}`.trim();
  return {
    status,
    body,
    reason: `The server answered ${named}${said === "" ? "" : `: ${said}`}`,
  };
}

/** Whether a body is the server's answer to this request, under its id. */
export function isAnswered(request: Message, body: Buffer): boolean {
  if (!isRequest(request)) return false;
  const answers = readMessages(body.toString("utf8")) ?? [];
  return answers.some(({ key, method }) => method === undefined && isSameId(key, request.key));
}

/**
 * Whether a server that was sent a session's id says that it does not know it: 404 as the protocol has it, or the 400
 * of the official SDK's examples, which names the session. What answers the request under its own id is of a tool that speaks of sessions.
 */
export function isForgotten({ status, body }: Refusal, request?: Message): boolean {
  if (status !== 400) return status === 404;
  const isOfTool = request !== undefined && isAnswered(request, body);
  return !isOfTool && /\bsession\b/i.test(body.toString("latin1"));
}

/** Whether asking again is no use: the server is there, and says no. */
export function isFinal({ status }: Refusal): boolean {
  const isBusy = status === 408 || status === 425 || status === 429;
  return !isBusy && (status < 500 || status === 501);
}
