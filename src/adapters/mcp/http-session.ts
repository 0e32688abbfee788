import type { IncomingMessage } from "node:http";

import { followEvents } from "./event-stream.js";
import { bodyOf, type HttpClient } from "./http-request.js";
import { withValueAt } from "./json-edit.js";
import { onOneLine } from "./lines.js";
import { isRecord } from "../../is-record.js";
import { type Message, readMessages } from "./message.js";
import { eventsOf } from "./server-sent-events.js";
import type { UpstreamHost } from "./upstream.js";

/** What a connection over streamable HTTP remembers from one request to the next. */
export interface HttpSession {
  /** Names the session as it is now, for {@link HttpSession.renew}. */
  mark(): number;
  headersFor(message: Message): Record<string, string>;
  /** The server has answered `initialize`. */
  start(message: Message, text: string, response: IncomingMessage): void;
  /** Takes the version of the protocol from the answer to `initialize`. */
  noteVersion(answer: Buffer): void;
  /** Opens the stream of what the server says without being asked. */
  listen(): void;
  /** A stream that goes on after an event. */
  resume(afterId: string | undefined): Promise<IncomingMessage | undefined>;
  /**
   * Starts the session again that had this mark, once for all who ask; `false` when there was none, or the
   * server refuses.
   */
  renew(mark: number): Promise<boolean>;
  /** Tells the server that the session is over. */
  end(maxMs: number): Promise<void>;
}

const RENEWAL_ID = '"langchain-offload-session"';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const META_VERSION = "io.modelcontextprotocol/protocolVersion";
/** A header carries printable ASCII. */
const HEADER_VALUE = /^[\x20-\x7e]{1,1024}$/;

/** Makes the memory of one connection. */
export function createSession(
  client: HttpClient,
  given: Readonly<Record<string, string>>,
  host: UpstreamHost,
): HttpSession {
  const own = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let id: string | undefined;
  let version: string | undefined;
  let generation = 0;
  let isEnded = false;
  let initialize: { readonly message: Message; readonly text: string } | undefined;
  let renewal: Promise<boolean> | undefined;

  function headers(accept: string): Record<string, string> {
    return {
      ...own,
      accept,
      ...(id !== undefined && { "mcp-session-id": id }),
      ...(version !== undefined && { "mcp-protocol-version": version }),
    };
  }

  function post(text: string): Promise<IncomingMessage> {
    const type = { "content-type": "application/json" };
    return client.request({
      method: "POST",
      headers: { ...headers("application/json, text/event-stream"), ...type },
      body: text,
    });
  }

  async function startAgain(): Promise<boolean> {
    if (initialize === undefined || id === undefined || isEnded) return false;
    id = undefined;
    version = undefined;
    const response = await post(withValueAt(initialize.text, ["id"], RENEWAL_ID));
    if ((response.statusCode ?? 0) >= 300) {
      response.resume();
      return false;
    }
    begin(response);
    await firstAnswer(response);
    (await post(INITIALIZED)).resume();
    generation += 1;
    listen();
    host.warn("The server had forgotten the session; a new one was started.");
    return true;
  }

  async function firstAnswer(response: IncomingMessage): Promise<void> {
    if (!/^text\/event-stream\b/i.test(response.headers["content-type"] ?? "")) {
      noteVersion(await bodyOf(response, host.maxMessageBytes));
      return;
    }
    for await (const { data } of eventsOf(response, host.maxMessageBytes)) {
      if (noteVersion(data)) return;
    }
  }

  function begin(response: IncomingMessage): void {
    const header = response.headers["mcp-session-id"];
    id = typeof header === "string" ? header : undefined;
  }

  function noteVersion(answer: Buffer): boolean {
    const results = (readMessages(answer.toString("utf8")) ?? []).map(({ result }) => result);
    const result = results.find(isRecord);
    const named = result?.["protocolVersion"];
    if (typeof named === "string" && HEADER_VALUE.test(named)) version = named;
    return result !== undefined;
  }

  async function open(afterId: string | undefined): Promise<IncomingMessage | undefined> {
    const after = afterId === undefined ? {} : { "last-event-id": afterId };
    const response = await client.request({
      method: "GET",
      headers: { ...headers("text/event-stream"), ...after },
    });
    if (response.statusCode === 200) return response;
    response.resume();
    return undefined;
  }

  async function follow(): Promise<void> {
    const mine = generation;
    const first = await open(undefined);
    // Many servers have nothing to say without being asked, and refuse.
    if (first === undefined) return;
    await followEvents(first, {
      host,
      isOver: () => isEnded || generation !== mine,
      reconnect: open,
      onData: (data) => host.onMessage(onOneLine(data)),
      always: true,
    });
  }

  function listen(): void {
    // Without this stream the server still answers.
    follow().catch(() => undefined);
  }

  return {
    mark: () => generation,
    headersFor: (message) => ({
      ...headers("application/json, text/event-stream"),
      "content-type": "application/json",
      ...namingHeaders(message),
    }),
    start(message, text, response) {
      initialize = { message, text };
      begin(response);
    },
    noteVersion,
    listen,
    resume: open,
    async renew(mark) {
      if (mark !== generation) return true;
      renewal ??= startAgain()
        .catch(() => false)
        .finally(() => {
          renewal = undefined;
        });
      return await renewal;
    },
    async end(maxMs) {
      isEnded = true;
      if (id === undefined) return;
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, maxMs).unref();
      });
      const told = client
        .request({ method: "DELETE", headers: headers("application/json") })
        .then((response) => void response.resume());
      await Promise.race([told, late]).catch(() => undefined);
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
