import * as http from "node:http";
import * as https from "node:https";

import { createMessageBuffer, isTooLong } from "./message-buffer.js";

/** One request of the transport. */
interface HttpRequest {
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

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([307, 308]);

/**
 * Makes a client for one address. A redirect that keeps the method is followed on the same host and
 * remembered; one to another host is not, since the headers may hold a secret.
 */
export function createHttpClient(address: URL): HttpClient {
  const { request: start, Agent } = address.protocol === "https:" ? https : http;
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const underWay = new Set<http.ClientRequest>();
  let url = address;

  function send({ method, headers, body, signal }: HttpRequest): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const all = { ...headers, ...length };
      const request = start(url, { method, agent, headers: all, signal }, resolve);
      underWay.add(request);
      request.once("close", () => underWay.delete(request));
      request.on("error", reject);
      request.end(body);
    });
  }

  return {
    async request(given) {
      for (let redirects = 0; ; redirects += 1) {
        const response = await send(given);
        const next = redirectOf(response, url);
        if (next === undefined || redirects >= MAX_REDIRECTS) return response;
        response.destroy();
        url = next;
      }
    },
    close() {
      for (const request of underWay) request.destroy();
      agent.destroy();
    },
  };
}

function redirectOf({ statusCode, headers }: http.IncomingMessage, from: URL): URL | undefined {
  if (!REDIRECTS.has(statusCode ?? 0) || headers.location === undefined) return undefined;
  const next = URL.canParse(headers.location, from.href)
    ? new URL(headers.location, from)
    : undefined;
  return next?.origin === from.origin ? next : undefined;
}

/** The whole body. @throws Error for a longer one, and when it is cut short. */
export async function bodyOf(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const body = createMessageBuffer(maxBytes);
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) break;
    await body.add(chunk);
  }
  const whole = body.take();
  if (length > maxBytes || isTooLong(whole)) {
    throw new Error(`the answer was longer than ${maxBytes} bytes`);
  }
  return whole;
}
