import * as http from "node:http";
import * as https from "node:https";

import { isSameId, type Message, readMessages } from "../message.js";
import { createMessageBuffer, isTooLong } from "./framing.js";
import { isRequest } from "./upstream.js";

/** One request of the transport. */
export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
  /** Breaks off the request and its response. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one address, over connections that are kept. */
export interface HttpClient {
  /** Resolves with the response's head. Rejects when there is no connection. */
  request(request: HttpRequest): Promise<http.IncomingMessage>;
  /** Breaks off what is under way. */
  close(): void;
}

/** An answer of a server that is none to the message. */
export interface Refusal {
  readonly status: number;
  readonly body: Buffer;
  /** In a sentence, such as `The server answered HTTP 500 Internal Server Error: …`, with all of its words. */
  readonly reason: string;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([307, 308]);
/** Bytes of a refusal that are read, and how long its words are waited for. */
const MAX_REFUSAL_BYTES = 65_536;
const MAX_REFUSAL_MS = 5_000;

/**
 * Makes a client for one address. `fetch` is none: it breaks off what is silent for five minutes, as calls of tools
 * may be. A redirect that keeps the method is followed on the same host and remembered; one to another host is not,
 * since the headers may hold a secret.
 */
export function createHttpClient(address: URL): HttpClient {
  const { request: start, Agent } = address.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, noDelay: true });
  let url = address;

  function send({ method, headers, body, signal }: HttpRequest): Promise<http.IncomingMessage> {
    // Of a text and its headers Node writes both in UTF-8; headers are Latin-1.
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes && { "content-length": bytes.length };
    return new Promise((resolve, reject) => {
      start(url, { method, agent, headers: { ...headers, ...length }, signal }, resolve)
        .on("error", reject)
        .end(bytes);
    });
  }

  return {
    async request(given) {
      for (let redirects = 0; ; redirects += 1) {
        const response = await send(given);
        const { location = "" } = response.headers;
        const isRedirect = REDIRECTS.has(response.statusCode ?? 0) && redirects < MAX_REDIRECTS;
        const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
        if (!isRedirect || next?.origin !== url.origin) return response;
        response.destroy();
        url = next;
      }
    },
    close: () => agent.destroy(),
  };
}

/** The whole body. @throws Error for a longer one, and when it is cut short. */
export async function bodyOf(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const body = createMessageBuffer(maxBytes);
  let room = maxBytes;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    body.add(chunk);
    room -= chunk.length;
    if (room < 0) break;
  }
  const whole = body.take();
  if (isTooLong(whole)) throw new Error(`the answer was longer than ${maxBytes} bytes`);
  return whole;
}

/** Whether a response brings server-sent events. */
export function isEventStream({ headers }: http.IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

/** What a response says that is no success; `undefined` for one that is. Never rejects. */
export async function refusalIn(response: http.IncomingMessage): Promise<Refusal | undefined> {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return undefined;
  const late = setTimeout(() => response.destroy(), MAX_REFUSAL_MS);
  const body = await bodyOf(response, MAX_REFUSAL_BYTES).catch(() => Buffer.alloc(0));
  clearTimeout(late);
  const said = body.toString("utf8").replaceAll(/\s+/g, " ").trim();
  const named = `HTTP ${status} ${response.statusMessage ?? ""}`.trim();
  return { status, body, reason: `The server answered ${named}${said && `: ${said}`}` };
}

/** Whether a body is the server's answer to this request, under its id. */
export function isAnswered(request: Message, body: Buffer): boolean {
  const answers = readMessages(body.toString("utf8")) ?? [];
  return (
    isRequest(request) &&
    answers.some(({ key, method }) => method === undefined && isSameId(key, request.key))
  );
}

/**
 * Whether a server that was sent a session's id says that it does not know it: 404 as the protocol has it, or the 400
 * of the official SDK's examples, which names the session. What answers the request under its own id is of a tool that
 * speaks of sessions.
 */
export function isForgotten({ status, body }: Refusal, request?: Message): boolean {
  if (status !== 400) return status === 404;
  const isOfTool = request !== undefined && isAnswered(request, body);
  return !isOfTool && /\bsession\b/i.test(body.toString("latin1"));
}

/** Whether asking again is no use: the server is there, and says no. */
export function isFinal({ status }: Refusal): boolean {
  return ![408, 425, 429].includes(status) && (status < 500 || status === 501);
}
