import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { addAbortSignal } from "node:stream";

import { withDeadline } from "../../../util/abort.js";
import { type Message, readMessage } from "../message.js";
import { createMessageBuffer, isTooLong } from "./framing.js";
import { isRequest, nothing } from "./upstream.js";

export interface HttpRequest extends Pick<http.RequestOptions, "method"> {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly reason: string;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [307, 308];
const MAX_IDLE_MS = 4_000;
const MAX_REFUSAL_BYTES = 65_536;
const MAX_REFUSAL_MS = 5_000;

/**
 * Not `fetch`, which aborts after five silent minutes, as tool calls may have. A redirect that keeps the method is
 * followed on the same host and remembered; one to another host is not, since the headers may hold a secret.
 */
export function requestsTo(address: URL): (init: HttpRequest) => Promise<IncomingMessage> {
  const { request, Agent } = address.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, timeout: MAX_IDLE_MS });
  let url = address;
  const send = ({ body, signal, ...init }: HttpRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      // As an option, the signal would end the socket, which may serve another request by then.
      addAbortSignal(signal, request(url, { ...init, agent }, resolve))
        .on("error", reject)
        // Without it, an abort at the end of the answer would be an error that nobody handles.
        .on("socket", (socket) => socket.off("error", nothing).on("error", nothing))
        // With a text body Node would write the headers in UTF-8; they are Latin-1.
        .end(body && Buffer.from(body));
    });
  return async (init) => {
    for (let redirects = 0; ; redirects += 1) {
      const response = await send(init);
      const isRedirect = REDIRECTS.includes(response.statusCode ?? 0) && redirects < MAX_REDIRECTS;
      const { location = "" } = response.headers;
      if (!isRedirect || !URL.canParse(location, url.href)) return response;
      const next = new URL(location, url);
      if (next.origin !== url.origin) return response;
      response.destroy();
      url = next;
    }
  };
}

/** @throws Error for a longer body, and when it is cut short. */
export async function bodyOf(response: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const body = createMessageBuffer(maxBytes);
  let room = maxBytes;
  for await (const chunk of response) {
    body.add(chunk);
    room -= chunk.length;
    if (room < 0) break;
  }
  const whole = body.take();
  if (isTooLong(whole)) throw new Error(`the answer was longer than ${maxBytes} bytes`);
  return whole;
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}

export async function refusalIn(response: IncomingMessage): Promise<Refusal | undefined> {
  const { statusCode: status = 0, statusMessage = "" } = response;
  if (status >= 200 && status < 300) return undefined;
  const limits = { timeoutMs: MAX_REFUSAL_MS, late: "late" };
  const body = await withDeadline(limits, () => bodyOf(response, MAX_REFUSAL_BYTES)).catch(
    () => "",
  );
  response.destroy();
  const said = body.replaceAll(/\s+/g, " ").trim();
  const named = `HTTP ${status} ${statusMessage}`.trim();
  return { status, body, reason: `The server answered ${named}${said && `: ${said}`}` };
}

export function isAnswered(request: Message, body: string): boolean {
  const answer = readMessage(body);
  return isRequest(request) && answer?.method === undefined && answer?.key === request.key;
}

/**
 * Whether the server no longer knows the session: 404 as in the protocol, or the 400 of the
 * official SDK's examples, which names the session.
 */
export function isForgotten({ status, body }: Refusal, request?: Message): boolean {
  if (status !== 400) return status === 404;
  return !(request && isAnswered(request, body)) && /\bsession\b/i.test(body);
}
