import type { IncomingMessage } from "node:http";

import { withValueAt } from "../../../core/content/json/json-text.js";
import { isRecord } from "../../../util/is-record.js";
import { type Message, readMessages } from "../message.js";
import { followEvents, StreamRefusedError } from "./event-stream.js";
import { isTooLong, type LongMessage, onOneLine } from "./framing.js";
import {
  bodyOf,
  createHttpClient,
  type HttpRequest,
  isAnswered,
  isEventStream,
  isFinal,
  isForgotten,
  type Refusal,
  refusalIn,
} from "./http-client.js";
import { eventsOf } from "./server-sent-events.js";
import {
  isRequest,
  nothing,
  reasonOf,
  type Upstream,
  type UpstreamHost,
  within,
} from "./upstream.js";

/** A server that is reached over streamable HTTP. */
export interface HttpServer {
  /** `http:` or `https:`, without user and password. */
  readonly url: string | URL;
  /** Sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What names a session to its server. Each is an object of its own: one that is no longer the current one has been renewed. */
interface Session {
  readonly id: string | undefined;
  /** Of the protocol, as the server has chosen it. */
  version: string | undefined;
}

/** What the server said to a message at first. */
interface Exchange {
  readonly response: IncomingMessage;
  readonly refusal: Refusal | undefined;
}

type Headers = Readonly<Record<string, string>>;

const NO_SESSION: Session = { id: undefined, version: undefined };
const RENEWAL_ID = '"langchain-offload-session"';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const META_VERSION = "io.modelcontextprotocol/protocolVersion";
/** What a header may carry here: printable ASCII. */
const HEADER_VALUE = /^[\x20-\x7e]{1,1024}$/;
/** How long a new session may take: every other message waits for it. */
const MAX_RENEWAL_MS = 30_000;
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
  const own = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let session = NO_SESSION;
  let initialize: string | undefined;
  let renewal: Promise<boolean> | undefined;
  let listening = new AbortController();
  let isEnded = false;
  /** What the next request or notification waits for. */
  let order: Promise<unknown> = Promise.resolve();

  function request(
    method: HttpRequest["method"],
    accept: string,
    { id, version }: Session,
    { headers, ...more }: Partial<HttpRequest> = {},
  ): Promise<IncomingMessage> {
    const named = {
      ...own,
      accept,
      ...(id !== undefined && { "mcp-session-id": id }),
      ...(version !== undefined && { "mcp-protocol-version": version }),
    };
    return client.request({ ...more, method, headers: { ...named, ...headers } });
  }

  function post(of: Session, { headers, ...more }: Partial<HttpRequest>): Promise<IncomingMessage> {
    const typed = { ...more, headers: { "content-type": "application/json", ...headers } };
    return request("POST", "application/json, text/event-stream", of, typed);
  }

  async function exchange(message: Message, text: Uint8Array | string): Promise<Exchange> {
    const isFirst = message.method === "initialize";
    const isOfSession = message.method !== undefined && !isFirst;
    for (let isAgain = false; ; isAgain = true) {
      if (isOfSession) await renewal;
      const of = isFirst ? NO_SESSION : session;
      const response = await post(of, { body: text, headers: namingHeaders(message) });
      const refusal = await refusalIn(response);
      const isLost = refusal !== undefined && isOfSession && isForgotten(refusal, message);
      if (!isLost || isAgain || !(await renew(of))) return { response, refusal };
    }
  }

  /**
   * Starts a forgotten session again, once for all who ask; `false` when there was none, or the server does not
   * take it, which is told. The session stays as it is then, so that the next one asks again.
   */
  async function renew(forgotten: Session): Promise<boolean> {
    if (forgotten !== session) return true;
    if (initialize === undefined || session.id === undefined || isEnded) return false;
    renewal ??= startAgain(initialize).finally(() => {
      renewal = undefined;
    });
    return await renewal;
  }

  /** Shakes hands again, as the client did. */
  async function startAgain(handshake: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(MAX_RENEWAL_MS);
      const body = withValueAt(handshake, ["id"], RENEWAL_ID);
      const response = await accepted(await post(NO_SESSION, { body, signal }));
      const version = await versionIn(response, host.maxMessageBytes);
      const renewed = { id: sessionIdIn(response), version };
      (await accepted(await post(renewed, { body: INITIALIZED, signal }))).resume();
      if (isEnded) return false;
      begin(renewed);
      void listen();
      host.warn("The server had forgotten the session; a new one was started.");
      return true;
    } catch (error) {
      host.warn(`The server has forgotten the session, and starts no new one: ${reasonOf(error)}`);
      return false;
    }
  }

  function begin(started: Session): void {
    session = started;
    listening.abort();
  }

  /**
   * Opens a stream of events.
   *
   * @param renews - Whether a server that has forgotten the session is given a new one, and asked again later.
   */
  async function open(
    afterId: string | undefined,
    signal?: AbortSignal,
    renews: boolean = false,
  ): Promise<IncomingMessage> {
    const of = session;
    const headers = afterId === undefined ? {} : { "last-event-id": afterId };
    const response = await request("GET", "text/event-stream", of, { headers, signal });
    const refusal = await refusalIn(response);
    if (refusal === undefined && isEventStream(response)) return response;
    response.destroy();
    if (refusal === undefined) throw new StreamRefusedError("The server gave no stream of events");
    const isLost = renews && of.id !== undefined && isForgotten(refusal);
    // A new session is listened to by itself.
    if (isLost) await renew(of);
    throw isFinal(refusal) && !isLost
      ? new StreamRefusedError(refusal.reason)
      : new Error(refusal.reason);
  }

  /** Opens the stream of what the server says without being asked; resolves when the server has answered. */
  function listen(): Promise<void> {
    listening = new AbortController();
    const { signal } = listening;
    const first = open(undefined, signal);
    void follow(first, signal);
    return first.then(nothing, nothing);
  }

  async function follow(first: Promise<IncomingMessage>, until: AbortSignal): Promise<void> {
    let response: IncomingMessage | undefined;
    try {
      response = await first;
    } catch (error) {
      // Many servers have nothing to say without being asked, and refuse.
      if (until.aborted || error instanceof StreamRefusedError) return;
    }
    const reason = await followEvents(response, {
      host,
      isOver: () => until.aborted,
      reconnect: (after) => open(after, until, true),
      onData: hear,
      until,
    });
    if (reason !== undefined) {
      host.warn(`The server is no longer heard when it is not asked: ${reason}`);
    }
  }

  async function deliver(
    message: Message,
    text: Uint8Array | string,
    before: Promise<unknown>,
    onTaken: () => void,
  ): Promise<void> {
    // A server may wait for what the client answers, in the middle of anything.
    if (message.method !== undefined) await before;
    const { response, refusal } = await exchange(message, text);
    if (refusal !== undefined) {
      const { body, reason } = refusal;
      if (isAnswered(message, body)) await host.onMessage(onOneLine(body));
      else host.onFailed(message, reason);
    } else if (message.method === "initialize") {
      initialize = typeof text === "string" ? text : message.text;
      begin({ id: sessionIdIn(response), version: undefined });
      await relay(message, response, onTaken);
    } else if (message.method === "notifications/initialized") {
      // What the server asks while nobody listens is lost, and the call that it asks for waits in vain.
      const heard = within(listen(), MAX_LISTEN_MS);
      await relay(message, response, nothing);
      await heard;
    } else {
      onTaken();
      await relay(message, response, nothing);
    }
  }

  /** Hands over what the response holds, and sees to it that a request gets its answer. */
  async function relay(
    message: Message,
    response: IncomingMessage,
    onBegun: () => void,
  ): Promise<void> {
    const isAwaited = isRequest(message);
    const take = (data: Buffer | LongMessage): Promise<void> | undefined => {
      const begun = message.method === "initialize" ? answerIn(data) : undefined;
      if (begun !== undefined) session.version = begun.version;
      if (begun !== undefined) onBegun();
      return hear(data);
    };
    let reason = "The server has closed the stream without an answer";
    if (isEventStream(response)) {
      const broken = await followEvents(response, {
        host,
        reconnect: open,
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

  function send(message: Message, text: Uint8Array | string): undefined {
    const before = order;
    const { promise: taken, resolve: onTaken } = withResolver();
    const isFirst = message.method === "initialize";
    if (isFirst) order = before.then(() => taken);
    // The limit counts from when it is this message's turn.
    else if (!isRequest(message) && message.method !== undefined)
      order = before.then(() => within(taken, MAX_ORDER_MS));
    deliver(message, text, before, onTaken)
      .catch((error: unknown) =>
        host.onFailed(message, `The server cannot be reached: ${reasonOf(error)}`),
      )
      .finally(onTaken);
  }

  return {
    send,
    async close() {
      if (isEnded) return undefined;
      isEnded = true;
      await within(order, END_MS);
      listening.abort();
      if (session.id !== undefined) {
        const signal = AbortSignal.timeout(END_MS);
        const ended = request("DELETE", "application/json", session, { signal });
        await ended.then((response) => void response.resume(), nothing);
      }
      client.close();
      return undefined;
    },
  };
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = nothing;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The same response. @throws Error when it is a refusal. */
async function accepted(response: IncomingMessage): Promise<IncomingMessage> {
  const refusal = await refusalIn(response);
  if (refusal !== undefined) throw new Error(refusal.reason);
  return response;
}

/** The id under which the server keeps the session that it has begun. */
function sessionIdIn({ headers }: IncomingMessage): string | undefined {
  const id = headers["mcp-session-id"];
  return typeof id === "string" ? id : undefined;
}

/** The version that an answer to `initialize` names; `undefined` for a message that is no such answer. */
function answerIn(
  data: Buffer | LongMessage,
): { readonly version: string | undefined } | undefined {
  const messages = isTooLong(data) ? undefined : readMessages(data.toString("utf8"));
  const result = messages?.map((message) => message.result).find(isRecord);
  if (result === undefined) return undefined;
  const named = result["protocolVersion"];
  return { version: typeof named === "string" && HEADER_VALUE.test(named) ? named : undefined };
}

async function versionIn(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const messages = isEventStream(response)
    ? eventsOf(response, maxBytes)
    : [{ data: await bodyOf(response, maxBytes) }];
  for await (const { data } of messages) {
    const answer = answerIn(data);
    if (answer !== undefined) return answer.version;
  }
  throw new Error("it gave no answer to the handshake");
}

/** Revisions from 2026-07-28 on want what routes a request in its headers too. */
function namingHeaders({ method, params }: Message): Headers {
  const meta = params["_meta"];
  const version = isRecord(meta) ? meta[META_VERSION] : undefined;
  if (method === undefined || typeof version !== "string") return {};
  const name = params["name"] ?? params["uri"];
  const named = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name };
  return Object.fromEntries(
    Object.entries(named).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === "string" && HEADER_VALUE.test(entry[1]),
    ),
  );
}
