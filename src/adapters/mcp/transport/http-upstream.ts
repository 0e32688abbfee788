import { setMaxListeners } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { withValueAt } from "../../../core/content/json/json-text.js";
import { fieldOf } from "../../../util/field-of.js";
import { type Message, readMessage } from "../message.js";
import { isTooLong, type LongMessage, onOneLine } from "./framing.js";
import {
  bodyOf,
  type HttpRequest,
  isAnswered,
  isEventStream,
  isForgotten,
  type Refusal,
  refusalIn,
  requestsTo,
} from "./http-client.js";
import { eventsOf } from "./server-sent-events.js";
import {
  isRequest,
  nothing,
  reasonOf,
  type Forwarded,
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

interface Session {
  readonly id?: string | undefined;
  version?: string | undefined;
}

class StreamRefusedError extends Error {}

const NO_SESSION: Session = {};
const RENEWAL_ID = '"langchain-offload-session"';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const META_VERSION = "io.modelcontextprotocol/protocolVersion";
const POSTED = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
} as const;
const HEADER_VALUE = /^[\x20-\x7e]{1,1024}$/;
const MAX_RENEWAL_MS = 30_000;
const END_MS = 2_000;
const MAX_ORDER_MS = 10_000;
const MAX_LISTEN_MS = 1_000;
const MAX_SILENT = 5;
const RETRY_MS = 1_000;
const MIN_RETRY_MS = 100;
const MAX_RETRY_MS = 30_000;

/**
 * Sends each message as its own POST, and receives unsolicited ones over a GET. Resumes a broken stream after its last
 * event, and restarts a forgotten session with the client's own `initialize`. Requests and notifications wait until the
 * server has answered `initialize`, has taken the notification before them, or has restarted a session.
 */
export function httpUpstream({ url, headers = {} }: HttpServer, host: UpstreamHost): Upstream {
  const { maxMessageBytes } = host;
  const send = requestsTo(new URL(url));
  const ending = new AbortController();
  // Each request listens to it, and Node would warn of a leak at the eleventh.
  setMaxListeners(0, ending.signal);
  let session = NO_SESSION;
  let initialize: string | undefined;
  let renewal: Promise<boolean> | undefined;
  let listening = new AbortController();
  let isEnded = false;
  let order: Promise<unknown> = Promise.resolve();

  function request(
    { id, version }: Session,
    { headers: more, signal, body, method }: HttpRequest,
  ): Promise<IncomingMessage> {
    return send({
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...headers,
        ...(body !== undefined && POSTED),
        ...(id !== undefined && { "mcp-session-id": id }),
        ...(version !== undefined && { "mcp-protocol-version": version }),
        ...more,
      },
      signal,
      body,
    });
  }

  async function exchange(
    message: Message,
    body: string,
    signal: AbortSignal,
  ): Promise<{ readonly response: IncomingMessage; readonly refusal: Refusal | undefined }> {
    const isFirst = message.method === "initialize";
    const isOfSession = message.method !== undefined && !isFirst;
    for (let isAgain = false; ; isAgain = true) {
      if (isOfSession) await renewal;
      const of = isFirst ? NO_SESSION : session;
      const response = await request(of, { body, headers: namingHeaders(message), signal });
      const refusal = await refusalIn(response);
      const isLost = refusal !== undefined && isOfSession && isForgotten(refusal, message);
      if (!isLost || isAgain || !(await renew(of))) return { response, refusal };
    }
  }

  async function renew(forgotten: Session): Promise<boolean> {
    if (forgotten !== session) return true;
    if (initialize === undefined || session.id === undefined || isEnded) return false;
    renewal ??= startAgain(initialize).finally(() => {
      renewal = undefined;
    });
    return await renewal;
  }

  async function startAgain(handshake: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(MAX_RENEWAL_MS);
      const body = withValueAt(handshake, ["id"], RENEWAL_ID);
      const response = await accepted(await request(NO_SESSION, { body, signal }));
      const version = await versionOf(response, maxMessageBytes);
      const renewed = { id: sessionIdIn(response), version };
      const taken = await accepted(await request(renewed, { body: INITIALIZED, signal }));
      taken.resume();
      if (isEnded) return false;
      begin(renewed);
      void listen();
      host.warn("The server had forgotten the session; a new one was started.");
      return true;
    } catch (error) {
      host.warn(
        `The server has forgotten the session and does not start a new one: ${reasonOf(error)}`,
      );
      return false;
    }
  }

  function begin(started: Session) {
    session = started;
    listening.abort();
  }

  async function open(
    after: string | undefined,
    until: AbortSignal,
    renews: boolean,
  ): Promise<IncomingMessage> {
    const of = session;
    const resumed = after !== undefined && { "last-event-id": after };
    const more = { accept: "text/event-stream", ...resumed };
    const response = await request(of, { headers: more, signal: until });
    const refusal = await refusalIn(response);
    if (refusal === undefined && isEventStream(response)) return response;
    if (refusal === undefined) {
      response.destroy();
      throw new StreamRefusedError("The server did not open an event stream");
    }
    const isLost = renews && of.id !== undefined && isForgotten(refusal);
    // A new session gets its own listener.
    if (isLost) await renew(of);
    const { status } = refusal;
    const isFinal = ![408, 425, 429].includes(status) && (status < 500 || status === 501);
    throw isFinal && !isLost ? new StreamRefusedError(refusal.reason) : new Error(refusal.reason);
  }

  function listen(): Promise<void> {
    listening = new AbortController();
    const first = open(undefined, listening.signal, false);
    void follow(first, listening.signal, hear, true).then((reason) =>
      reason === undefined
        ? undefined
        : host.warn(`Messages that the server sends on its own no longer arrive: ${reason}`),
    );
    return first.then(nothing, nothing);
  }

  /** Passes on a stream and its resumptions. Never rejects; returns the reason of an unexpected end. */
  async function follow(
    first: IncomingMessage | Promise<IncomingMessage>,
    until: AbortSignal,
    onData: typeof hear,
    isUnasked: boolean,
  ): Promise<string | undefined> {
    let next = first;
    let lastId: string | undefined;
    let retryMs = RETRY_MS;
    let reason: string | undefined;
    let silent = 0;
    let refused = -1;
    for (;;) {
      silent += 1;
      refused += 1;
      try {
        const response = await next;
        refused = 0;
        for await (const { id, type, data, ...event } of eventsOf(response, maxMessageBytes)) {
          silent = 0;
          lastId = id ?? lastId;
          retryMs = event.retryMs ?? retryMs;
          if (data !== "" && type === "message") await onData(data);
          if (until.aborted) break;
        }
      } catch (error) {
        reason = reasonOf(error);
        // Many servers send nothing unsolicited, and refuse at once.
        if (error instanceof StreamRefusedError) return refused > 0 ? reason : undefined;
      }
      if (until.aborted) return undefined;
      if (!isUnasked && (lastId === undefined || silent >= MAX_SILENT)) return reason;
      const waitMs = Math.min(Math.max(retryMs, MIN_RETRY_MS) * 2 ** refused, MAX_RETRY_MS);
      // Such a stream keeps no process alive.
      await delay(waitMs, undefined, { ref: !isUnasked, signal: until }).catch(nothing);
      if (until.aborted) return undefined;
      next = open(lastId, until, isUnasked);
    }
  }

  async function deliver(message: Message, forwarded: Forwarded) {
    const { forward, until = ending.signal } = forwarded;
    try {
      const { response, refusal } = await exchange(message, forward, until);
      if (refusal !== undefined) {
        if (isAnswered(message, refusal.body)) await host.onMessage(onOneLine(refusal.body));
        else host.onFailed(message, refusal.reason);
      } else if (message.method === "initialize") {
        initialize = forward;
        begin({ id: sessionIdIn(response) });
        await relay(message, response, until);
      } else {
        void relay(message, response, until);
        // Requests that the server sends before anyone listens are lost, and their calls would wait forever.
        if (message.method === "notifications/initialized") await within(listen(), MAX_LISTEN_MS);
      }
    } catch (error) {
      host.onFailed(message, `The server cannot be reached: ${reasonOf(error)}`);
    }
  }

  async function relay(message: Message, response: IncomingMessage, until: AbortSignal) {
    const isAwaited = isRequest(message);
    const onData: typeof hear = (data) => {
      if (message.method === "initialize") session.version ??= versionIn(data);
      return hear(data);
    };
    let reason = "The server has closed the stream without an answer";
    try {
      if (isEventStream(response)) {
        const broken = await follow(response, until, onData, false);
        if (broken !== undefined) reason += ` (${broken})`;
      } else {
        const body = await bodyOf(response, maxMessageBytes);
        if (body !== "" && isAwaited) await onData(body);
        const type = response.headers["content-type"] ?? "no content type";
        // A login page, or a wrong address.
        if (body !== "" && !/\bjson\b/i.test(type))
          reason = `The server's answer is not JSON but ${type}`;
      }
    } catch (error) {
      reason = `The server's answer cannot be read: ${reasonOf(error)}`;
    }
    if (isAwaited) host.onFailed(message, reason);
  }

  function hear(data: string | LongMessage): Promise<void> | undefined {
    return host.onMessage(isTooLong(data) ? data : onOneLine(data));
  }

  return {
    send(message, forwarded) {
      if (isEnded) return undefined;
      const before = order;
      // A server may wait for the client's answer at any time.
      const ready = message.method === undefined ? Promise.resolve() : before;
      const taken = ready
        .then(() => deliver(message, forwarded))
        .finally(() => forwarded.cancels?.abort());
      if (message.method === "initialize") order = taken;
      else if (message.method !== undefined && !isRequest(message))
        order = before.then(() => within(taken, MAX_ORDER_MS));
      return undefined;
    },
    async close() {
      if (isEnded) return undefined;
      isEnded = true;
      await within(order, END_MS);
      listening.abort();
      if (session.id !== undefined) {
        const signal = AbortSignal.timeout(END_MS);
        await request(session, { method: "DELETE", signal }).catch(nothing);
      }
      ending.abort();
      return undefined;
    },
  };
}

/** @throws Error when it is a refusal. */
async function accepted(response: IncomingMessage): Promise<IncomingMessage> {
  const refusal = await refusalIn(response);
  if (refusal !== undefined) throw new Error(refusal.reason);
  return response;
}

function sessionIdIn({ headers }: IncomingMessage): string | undefined {
  return headers["mcp-session-id"]?.toString();
}

function versionIn(data: string | LongMessage): string | undefined {
  const result = isTooLong(data) ? undefined : readMessage(data)?.result;
  const named = fieldOf(result, "protocolVersion");
  return typeof named === "string" && HEADER_VALUE.test(named) ? named : undefined;
}

async function versionOf(response: IncomingMessage, maxBytes: number): Promise<string> {
  const messages = isEventStream(response)
    ? eventsOf(response, maxBytes)
    : [{ data: await bodyOf(response, maxBytes) }];
  for await (const { data } of messages) {
    const version = versionIn(data);
    if (version !== undefined) return version;
  }
  throw new Error("it did not answer the handshake");
}

/** Revisions from 2026-07-28 on require routing headers. */
function namingHeaders({ method, params }: Message): Record<string, string> {
  const version = fieldOf(params["_meta"], META_VERSION);
  if (method === undefined || typeof version !== "string") return {};
  const name = params["name"] ?? params["uri"];
  const named = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name };
  return Object.fromEntries(Object.entries(named).filter(isHeader));
}

function isHeader(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string" && HEADER_VALUE.test(entry[1]);
}
