import type { IncomingMessage } from "node:http";

import { followEvents, StreamRefusedError } from "./event-stream.js";
import { isEventStream, isFinal, isForgotten, refusalIn } from "./http-answer.js";
import {
  answerIn,
  HEADER_VALUE,
  renewedSession,
  type ServerSession,
  sessionIdIn,
} from "./http-renewal.js";
import type { HttpClient } from "./http-request.js";
import type { LongMessage } from "./message-buffer.js";
import type { Message } from "../message.js";
import { isRecord } from "../../../util/is-record.js";
import { reasonOf, type UpstreamHost } from "./upstream.js";

/** What a connection over streamable HTTP remembers from one request to the next. */
export interface HttpSession {
  /** Names the session as it is now, for {@link HttpSession.renew}. */
  mark(): number;
  headersFor(message: Message): Record<string, string>;
  /** The server has answered this `initialize`. */
  start(text: string, response: IncomingMessage): void;
  /** Takes the version of the protocol from the answer to `initialize`; `false` for any other message. */
  noteVersion(message: Buffer): boolean;
  /** Opens the stream of what the server says without being asked. */
  listen(): Promise<void>;
  /** A stream that goes on after an event. Rejects when the server gives none. */
  resume(afterId: string | undefined): Promise<IncomingMessage>;
  /** Resolves when no session is being started again. */
  settled(): Promise<void>;
  /**
   * Starts the session again that had this mark, once for all who ask; `false` when there was none, or the
   * server does not take it, which is told. The session stays as it is then, so that the next one asks again.
   */
  renew(mark: number): Promise<boolean>;
  /** Tells the server that the session is over. */
  end(maxMs: number): Promise<void>;
}

const META_VERSION = "io.modelcontextprotocol/protocolVersion";
const MESSAGES = "application/json, text/event-stream";

/**
 * Makes the memory of one connection.
 *
 * @param onData - Takes what the server says without being asked.
 */
export function createSession(
  client: HttpClient,
  given: Readonly<Record<string, string>>,
  host: UpstreamHost,
  onData: (data: Buffer | LongMessage) => Promise<void> | undefined,
): HttpSession {
  const own = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let current: ServerSession = { id: undefined, version: undefined };
  let generation = 0;
  let isEnded = false;
  let initialize: string | undefined;
  let renewal: Promise<boolean> | undefined;
  let listening = new AbortController();

  function headers(accept: string, { id, version } = current): Record<string, string> {
    return {
      ...own,
      accept,
      ...(id !== undefined && { "mcp-session-id": id }),
      ...(version !== undefined && { "mcp-protocol-version": version }),
    };
  }

  function replace(session: ServerSession): void {
    current = session;
    generation += 1;
    listening.abort();
  }

  async function startAgain(text: string): Promise<boolean> {
    try {
      const session = await renewedSession(text, host.maxMessageBytes, (body, of, signal) =>
        client.request({
          method: "POST",
          headers: { ...headers(MESSAGES, of), "content-type": "application/json" },
          body,
          signal,
        }),
      );
      if (isEnded) return false;
      replace(session);
      void listen();
      host.warn("The server had forgotten the session; a new one was started.");
      return true;
    } catch (error) {
      host.warn(`The server has forgotten the session, and starts no new one: ${reasonOf(error)}`);
      return false;
    }
  }

  async function renew(mark: number): Promise<boolean> {
    if (mark !== generation) return true;
    if (initialize === undefined || current.id === undefined || isEnded) return false;
    renewal ??= startAgain(initialize).finally(() => {
      renewal = undefined;
    });
    return await renewal;
  }

  async function open(afterId: string | undefined, signal?: AbortSignal): Promise<IncomingMessage> {
    const after = afterId === undefined ? {} : { "last-event-id": afterId };
    const response = await client.request({
      method: "GET",
      headers: { ...headers("text/event-stream"), ...after },
      signal,
    });
    const refusal = await refusalIn(response);
    if (refusal !== undefined) {
      throw isFinal(refusal)
        ? new StreamRefusedError(refusal.reason, isForgotten(refusal))
        : new Error(refusal.reason);
    }
    if (response.statusCode === 200 && isEventStream(response)) return response;
    response.destroy();
    throw new StreamRefusedError("The server gave no stream of events");
  }

  async function openAgain(
    afterId: string | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const mine = generation;
    try {
      return await open(afterId, signal);
    } catch (error) {
      const isOld = error instanceof StreamRefusedError && error.isForgotten;
      if (!isOld || current.id === undefined) throw error;
      // A new session is listened to by itself; without one, this stream is asked for again later.
      await renew(mine);
      throw new Error(error.message, { cause: error });
    }
  }

  async function follow(signal: AbortSignal, onAnswered: () => void): Promise<void> {
    let first: IncomingMessage | undefined;
    try {
      first = await open(undefined, signal);
    } catch (error) {
      // Many servers have nothing to say without being asked, and refuse.
      if (signal.aborted || error instanceof StreamRefusedError) return;
    } finally {
      onAnswered();
    }
    const reason = await followEvents(first, {
      host,
      isOver: () => signal.aborted,
      reconnect: (after) => openAgain(after, signal),
      onData,
      until: signal,
    });
    if (reason !== undefined) {
      host.warn(`The server is no longer heard when it is not asked: ${reason}`);
    }
  }

  function listen(): Promise<void> {
    listening = new AbortController();
    const { signal } = listening;
    return new Promise((resolve) => {
      // Without this stream the server still answers.
      follow(signal, resolve).catch(nothing);
    });
  }

  return {
    mark: () => generation,
    headersFor(message) {
      const isFirst = message.method === "initialize";
      return {
        ...(isFirst ? { ...own, accept: MESSAGES } : headers(MESSAGES)),
        "content-type": "application/json",
        ...namingHeaders(message),
      };
    },
    start(text, response) {
      initialize = text;
      replace({ id: sessionIdIn(response), version: undefined });
    },
    noteVersion(message) {
      const answer = answerIn(message);
      if (answer !== undefined) current = { ...current, version: answer.version };
      return answer !== undefined;
    },
    listen,
    resume: open,
    async settled() {
      await renewal;
    },
    renew,
    async end(maxMs) {
      isEnded = true;
      listening.abort();
      if (current.id === undefined) return;
      const signal = AbortSignal.timeout(maxMs);
      await client
        .request({ method: "DELETE", headers: headers("application/json"), signal })
        .then((response) => void response.resume(), nothing);
    },
  };
}

/** Revisions from 2026-07-28 on want what routes a request in its headers too. */
function namingHeaders({ method, params }: Message): Record<string, string> {
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

function nothing(): void {}
