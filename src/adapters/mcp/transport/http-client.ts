import { withDeadline } from "../../../util/abort.js";
import { type Message, readMessage } from "../message.js";
import { createMessageBuffer, isTooLong } from "./framing.js";
import { isRequest } from "./upstream.js";

export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly reason: string;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [307, 308];
const MAX_REFUSAL_BYTES = 65_536;
const MAX_REFUSAL_MS = 5_000;

/**
 * `fetch` for one address. A redirect that keeps the method is followed on the same host and remembered; one to
 * another host is not, since the headers may hold a secret.
 */
export function fetchFrom(address: URL): (init: RequestInit) => Promise<Response> {
  let url = address;
  return async (init) => {
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, { ...init, redirect: "manual" });
      const isRedirect = REDIRECTS.includes(response.status) && redirects < MAX_REDIRECTS;
      const location = response.headers.get("location") ?? "";
      const next =
        isRedirect && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (next?.origin !== url.origin) return response;
      await response.body?.cancel();
      url = next;
    }
  };
}

/** The whole body. @throws Error for a longer one, and when it is cut short. */
export async function bodyOf(response: Response, maxBytes: number): Promise<string> {
  const body = createMessageBuffer(maxBytes);
  let room = maxBytes;
  for await (const chunk of bytesOf(response)) {
    body.add(Buffer.from(chunk));
    room -= chunk.length;
    if (room < 0) break;
  }
  const whole = body.take();
  if (isTooLong(whole)) throw new Error(`the answer was longer than ${maxBytes} bytes`);
  return whole;
}

export function bytesOf({ body }: Response): AsyncIterable<Uint8Array> {
  return body ?? new ReadableStream<Uint8Array>({ start: (end) => end.close() });
}

export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

export async function refusalIn(response: Response): Promise<Refusal | undefined> {
  if (response.ok) return undefined;
  const { status, statusText } = response;
  const limits = { timeoutMs: MAX_REFUSAL_MS, late: "late" };
  const body = await withDeadline(limits, () => bodyOf(response, MAX_REFUSAL_BYTES)).catch(
    () => "",
  );
  const said = body.replaceAll(/\s+/g, " ").trim();
  const named = `HTTP ${status} ${statusText}`.trim();
  return { status, body, reason: `The server answered ${named}${said && `: ${said}`}` };
}

export function isAnswered(request: Message, body: string): boolean {
  const answer = readMessage(body);
  return isRequest(request) && answer?.method === undefined && answer?.key === request.key;
}

/**
 * Whether a server that was sent a session's id says that it does not know it: 404 as the protocol has it, or the 400
 * of the official SDK's examples, which names the session.
 */
export function isForgotten({ status, body }: Refusal, request?: Message): boolean {
  if (status !== 400) return status === 404;
  const isOfTool = request !== undefined && isAnswered(request, body);
  return !isOfTool && /\bsession\b/i.test(body);
}

export function isFinal({ status }: Refusal): boolean {
  return ![408, 425, 429].includes(status) && (status < 500 || status === 501);
}
