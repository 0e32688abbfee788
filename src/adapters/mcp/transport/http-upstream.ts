import type { IncomingMessage } from "node:http";

import { followEvents } from "./event-stream.js";
import { isAnswered, isEventStream, isForgotten, type Refusal, refusalIn } from "./http-answer.js";
import { bodyOf, createHttpClient } from "./http-request.js";
import { createSession } from "./http-session.js";
import { onOneLine } from "./lines.js";
import { isTooLong, type LongMessage } from "./message-buffer.js";
import { type Message, readMessages } from "../message.js";
import { isRequest, reasonOf, type Upstream, type UpstreamHost } from "./upstream.js";
import { within } from "./within.js";

/** A server that is reached over streamable HTTP. */
export interface HttpServer {
  /** `http:` or `https:`, without user and password. */
  readonly url: string | URL;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the server said to a message at first. */
interface Exchange {
  readonly response: IncomingMessage;
  readonly refusal: Refusal | undefined;
}

/** How long the server is waited for when the session ends. */
const END_MS = 2_000;
/** How long what follows a notification waits until the server has taken it. */
const MAX_ORDER_MS = 10_000;
/** How long the first request waits for the stream of what is not asked for: some servers send its head with its first event. */
const MAX_LISTEN_MS = 1_000;

/**
 * Connects to a server. Each message is a POST of its own; what the server says without being asked comes
 * over a GET. A stream that breaks is resumed after its last event; a session that the server has forgotten
 * is started again with the client's own `initialize`.
 *
 * The server takes messages in the client's order where the order counts: requests and notifications wait until
 * it has answered `initialize`, has taken the notification before them, or has started a session again.
 */
export function httpUpstream({ url, headers = {} }: HttpServer, host: UpstreamHost): Upstream {
  const client = createHttpClient(new URL(url));
  const session = createSession(client, headers, host, hear);
  /** What the next request or notification waits for. */
  let order: Promise<unknown> = Promise.resolve();

  async function exchange(
    message: Message,
    text: Uint8Array | string,
    isAgain = false,
  ): Promise<Exchange> {
    const isOfSession = message.method !== undefined && message.method !== "initialize";
    if (isOfSession) await session.settled();
    const mark = session.mark();
    const response = await client.request({
      method: "POST",
      headers: session.headersFor(message),
      body: text,
    });
    const refusal = await refusalIn(response);
    if (refusal !== undefined && isOfSession && !isAgain && isForgotten(refusal, message)) {
      if (await session.renew(mark)) return await exchange(message, text, true);
    }
    return { response, refusal };
  }

  async function deliver(
    message: Message,
    text: Uint8Array | string,
    before: Promise<unknown>,
    onTaken: () => void,
  ): Promise<void> {
    // A server may wait for what the client answers, in the middle of anything.
    if (message.method !== undefined) await before;
    let exchanged: Exchange;
    try {
      exchanged = await exchange(message, text);
    } catch (error) {
      tellFailed(message, `The server cannot be reached: ${reasonOf(error)}`);
      return;
    }
    const { response, refusal } = exchanged;
    if (refusal !== undefined) {
      await passRefusal(message, refusal);
      return;
    }
    if (message.method === "initialize") {
      session.start(typeof text === "string" ? text : message.text, response);
    }
    // What the server asks while nobody listens is lost, and the call that it asks for waits in vain.
    const isFirst = message.method === "notifications/initialized";
    const listening = isFirst ? within(session.listen(), MAX_LISTEN_MS) : undefined;
    if (message.method !== "initialize" && !isFirst) onTaken();
    await relay(message, response, onTaken);
    await listening;
  }

  /** Hands over what the response holds, and sees to it that a request gets its answer. */
  async function relay(
    message: Message,
    response: IncomingMessage,
    onTaken: () => void,
  ): Promise<void> {
    const { method } = message;
    const isAwaited = isRequest(message);
    const take = (data: Buffer | LongMessage): Promise<void> | undefined => {
      if (method === "initialize" && !isTooLong(data) && session.noteVersion(data)) onTaken();
      return hear(data);
    };
    let reason = "The server has closed the stream without an answer";
    if (isEventStream(response)) {
      const broken = await followEvents(response, {
        host,
        reconnect: (after) => session.resume(after),
        isOver: () => !isAwaited || !host.isPending(message),
        onData: take,
      });
      if (broken !== undefined) reason += ` (${broken})`;
    } else {
      try {
        const body = await bodyOf(response, host.maxMessageBytes);
        if (body.length > 0 && isAwaited) await take(body);
        const type = response.headers["content-type"] ?? "no content type";
        // A login page, or another address than that of the server.
        if (body.length > 0 && !/\bjson\b/i.test(type))
          reason = `The server's answer is no JSON but ${type}`;
      } catch (error) {
        reason = `The server's answer cannot be read: ${reasonOf(error)}`;
      }
    }
    if (isAwaited) host.onFailed(message, reason);
  }

  function hear(data: Buffer | LongMessage): Promise<void> | undefined {
    if (!isTooLong(data)) return host.onMessage(onOneLine(data));
    const [answer] = readMessages(host.onTooLong(data) ?? "") ?? [];
    if (answer !== undefined) send(answer, answer.text);
    return undefined;
  }

  async function passRefusal(message: Message, { body, reason }: Refusal): Promise<void> {
    if (isAnswered(message, body)) await host.onMessage(onOneLine(body));
    else tellFailed(message, reason);
  }

  function tellFailed(message: Message, reason: string): void {
    if (isRequest(message)) host.onFailed(message, reason);
    else host.warn(reason);
  }

  function send(message: Message, text: Uint8Array | string): undefined {
    const before = order;
    let onTaken = nothing;
    const isFirst = message.method === "initialize";
    if (isFirst || (message.method !== undefined && message.key === undefined)) {
      const taken = new Promise<void>((resolve) => {
        onTaken = resolve;
      });
      order = takenAfter(before, taken, isFirst ? undefined : MAX_ORDER_MS);
    }
    // Nothing is left to reject but a fault of ours, which must not end the process.
    deliver(message, text, before, onTaken)
      .catch((error: unknown) => tellFailed(message, reasonOf(error)))
      .finally(onTaken);
  }

  return {
    send,
    async close() {
      await within(order, END_MS);
      await session.end(END_MS);
      client.close();
      return undefined;
    },
  };
}

/** The limit counts from when it is this message's turn. */
async function takenAfter(
  before: Promise<unknown>,
  taken: Promise<void>,
  maxMs: number | undefined,
): Promise<void> {
  await before;
  if (maxMs === undefined) await taken;
  else await within(taken, maxMs);
}

function nothing(): void {}
