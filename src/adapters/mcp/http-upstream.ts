import type { IncomingMessage } from "node:http";

import { type Message, readMessages } from "./message.js";
import { bodyOf, createHttpClient } from "./http-request.js";
import { followEvents } from "./event-stream.js";
import { onOneLine } from "./lines.js";
import { createSession } from "./http-session.js";
import { reasonOf, type Upstream, type UpstreamHost } from "./upstream.js";

/** A server that is reached over streamable HTTP. */
export interface HttpServer {
  /** `http:` or `https:`, without user and password. */
  readonly url: string | URL;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Characters of an error's body that are told. */
const MAX_SHOWN_CHARACTERS = 300;
const MAX_ERROR_BYTES = 65_536;
/** How long the server is waited for when the session ends. */
const END_MS = 2_000;

/**
 * Connects to a server. Each message is a POST of its own; what the server says without being asked comes
 * over a GET. A stream that breaks is resumed after its last event; a session that the server has forgotten
 * is started again with the client's own `initialize`.
 */
export function httpUpstream({ url, headers = {} }: HttpServer, host: UpstreamHost): Upstream {
  const client = createHttpClient(new URL(url));
  const session = createSession(client, headers, host);

  async function deliver(message: Message, text: string, isAgain = false): Promise<void> {
    const started = session.mark();
    const response = await client.request({
      method: "POST",
      headers: session.headersFor(message),
      body: text,
    });
    const status = response.statusCode ?? 0;
    if (status === 404 && !isAgain && (await session.renew(started))) {
      response.resume();
      return await deliver(message, text, true);
    }
    if (status >= 300) return await refused(message, response);
    if (message.method === "initialize") session.start(message, text, response);
    await relay(message, response);
    if (message.method === "notifications/initialized") session.listen();
  }

  /** Hands over what the response holds, and sees to it that a request gets its answer. */
  async function relay(message: Message, response: IncomingMessage): Promise<void> {
    const { key } = message;
    if (isEventStream(response)) {
      await followEvents(response, {
        host,
        reconnect: (after) => session.resume(after),
        isOver: () => key === undefined || !host.isPending(key),
        onData: (data) => take(message, data),
      });
    } else {
      const body = await bodyOf(response, host.maxMessageBytes);
      if (body.length > 0 && key !== undefined) await take(message, body);
    }
    if (key !== undefined) host.onFailed(key, "The server has closed the stream without an answer");
  }

  function take(message: Message, data: Buffer): Promise<void> | undefined {
    if (message.method === "initialize") session.noteVersion(data);
    return host.onMessage(onOneLine(data));
  }

  async function refused({ key }: Message, response: IncomingMessage): Promise<void> {
    const body = await bodyOf(response, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0));
    const answers = readMessages(body.toString("utf8")) ?? [];
    if (key !== undefined && answers.some((answer) => answer.key === key)) {
      await host.onMessage(onOneLine(body));
      return;
    }
    const status = `HTTP ${response.statusCode} ${response.statusMessage ?? ""}`.trim();
    const said = body
      .toString("utf8")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, MAX_SHOWN_CHARACTERS);
    const reason = `The server answered ${status}${said === "" ? "" : `: ${said}`}`;
    if (key === undefined) host.warn(reason);
    else host.onFailed(key, reason);
  }

  return {
    send(message, text) {
      deliver(message, text).catch((error: unknown) => {
        const reason = `The server cannot be reached: ${reasonOf(error)}`;
        if (message.key !== undefined) host.onFailed(message.key, reason);
        else host.warn(reason);
      });
      return undefined;
    },
    async close() {
      await session.end(END_MS);
      client.close();
    },
  };
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
}
