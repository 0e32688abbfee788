import { randomUUID } from "node:crypto";

import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { scopeOf } from "../../core/store/naming.js";
import {
  cancelledKey,
  CODES,
  errorAnswer,
  isSameId,
  type Message,
  resultAnswer,
} from "./message.js";
import { createOwnTools, withOwnTools } from "./own-tools.js";
import { isFromProxy, withProxyFlag } from "./proxy-flag.js";
import { createToolAnswers, isOfTools } from "./tool-answers.js";

/** What an inspector works with. */
export interface InspectorOptions {
  readonly offloader: Offloader;
  /** Stored outputs belong to it. Without one they belong to the connection, whose drill-ins reach no other. */
  readonly sessionId?: string | undefined;
  /** A `proxy` tells the server that it is one; both stand back when their client is one. */
  readonly role: "proxy" | "server";
  /** `false` where the client cannot read what is stored: results are redacted, and nothing else. @defaultValue `true` */
  readonly offloads?: boolean;
  /** Told in a sentence of what the user can change. */
  readonly warn: (sentence: string) => void;
}

/** What becomes of a message of the client: an answer is `undefined` when it has cancelled the request. */
type ClientStep =
  | { readonly forward: string }
  | { readonly answer: Promise<string | undefined> }
  | { readonly ignored: true };

/** What becomes of a message of the server: its text, or `undefined` when it is left out. */
type ServerStep = string | undefined;

/** Looks at the messages between a client and a server, and changes those of the four kinds that matter. */
export interface Inspector {
  /** A message on its way to the server. */
  fromClient(message: Message): ClientStep;
  /** A message on its way to the client: the same text when nothing is to change. Never rejects. */
  fromServer(message: Message): ServerStep | Promise<ServerStep>;
  /** Whether the server has not answered this request yet; without one, whether any waits. */
  isPending(request?: Message): boolean;
  /**
   * The answer to a request that the server will not answer; `undefined` when nobody waits for it. Never rejects.
   *
   * @param key - Of its id, as the server has said it.
   */
  fail(key: string, reason: string): string | Promise<string> | undefined;
  /** The same for all of them. */
  failAll(reason: string): (string | Promise<string>)[];
}

/** Requests that wait for an answer at once; one more is refused. */
const MAX_PENDING = 10_000;
const REPEATED =
  "Another request with this id waits for its answer, which is still to come; use an id that is not in use.";

/** Makes an inspector for one connection. */
export function createInspector(options: InspectorOptions): Inspector {
  const { offloader, role, offloads = true, warn } = options;
  const { sessionId = randomUUID() } = options;
  const scope = scopeOf(sessionId);
  const access = internals(offloader).accessOf(options.sessionId);
  const own = createOwnTools(offloader, scope, access);
  const pending = new Map<string, Message>();
  const running = new Map<string, AbortController>();
  const hidden = new Set<string>();
  let isActive = offloads;
  const toolAnswers = createToolAnswers(offloader, sessionId, () => isActive);

  function warnOfHidden(name: string): void {
    if (hidden.has(name)) return;
    hidden.add(name);
    warn(
      `The server has a tool ${JSON.stringify(name)}; the one that reads stored outputs hides it.`,
    );
  }

  async function answerHere(
    request: Message,
    key: string,
    answer: (signal: AbortSignal) => Promise<string>,
  ): Promise<string | undefined> {
    const cancelled = new AbortController();
    running.set(key, cancelled);
    try {
      const text = await answer(cancelled.signal);
      return cancelled.signal.aborted ? undefined : text;
    } catch (error) {
      return cancelled.signal.aborted ? undefined : errorAnswer(request, String(error));
    } finally {
      running.delete(key);
    }
  }

  /** How a request is answered here; `undefined` when the server answers it. */
  function answering(request: Message): ((signal: AbortSignal) => Promise<string>) | undefined {
    const { method, params } = request;
    if (method !== "tools/call") return undefined;
    const { name, arguments: args } = params;
    if (typeof name !== "string" || !own.has(name)) return undefined;
    return async (signal) => resultAnswer(request, await own.call(name, args, signal));
  }

  function cancel(message: Message): boolean {
    const key = cancelledKey(message) ?? "";
    pending.delete(key);
    const call = running.get(key);
    call?.abort();
    return call !== undefined;
  }

  function fromClient(message: Message): ClientStep {
    const { text, key, method } = message;
    if (method === "initialize" || isFromProxy(message))
      isActive = offloads && !isFromProxy(message);
    if (method === "notifications/cancelled" && cancel(message)) return { ignored: true };
    if (method === undefined || key === undefined) return { forward: text };
    // Forwarded, the two could not be told apart, and one answer would be taken for the other.
    if (pending.has(key) || running.has(key)) {
      return refused(errorAnswer(message, REPEATED, CODES.invalidRequest));
    }
    const answer = isActive ? answering(message) : undefined;
    if (answer !== undefined) return { answer: answerHere(message, key, answer) };
    if (pending.size >= MAX_PENDING) {
      return refused(errorAnswer(message, "Too many requests wait for an answer."));
    }
    pending.set(key, message);
    return { forward: role === "proxy" ? withProxyFlag(message) : text };
  }

  /** The request that waited for an answer with this id, and waits no more. */
  function answeredBy(said: string | undefined): Message | undefined {
    if (said === undefined) return undefined;
    const key = pending.has(said)
      ? said
      : [...pending.keys()].find((asked) => isSameId(said, asked));
    const request = key === undefined ? undefined : pending.get(key);
    if (key !== undefined) pending.delete(key);
    return request;
  }

  function fromServer(message: Message): ServerStep | Promise<ServerStep> {
    const { text, key, method, result } = message;
    if (method !== undefined) return key === undefined ? toolAnswers.told(message) : text;
    const request = answeredBy(key);
    if (request === undefined) return unasked(message);
    if (isOfTools(request)) return toolAnswers.answer(message, request);
    if (!isActive || result === undefined) return text;
    return request.method === "tools/list" ? withOwnTools(message, own, warnOfHidden) : text;
  }

  /** Of an answer that nobody waits for, or no longer, it is not known what it must not show; clients leave it out themselves. */
  function unasked({ text }: Message): ServerStep {
    if (internals(offloader).host.clean === undefined) return text;
    warn(
      "The server wrote an answer that nobody waits for; it was left out, since it is not redacted.",
    );
    return undefined;
  }

  function fail(said: string, reason: string): string | Promise<string> | undefined {
    const request = answeredBy(said);
    return request && toolAnswers.failure(request, reason);
  }

  return {
    fromClient,
    fromServer,
    isPending: (request) =>
      request === undefined ? pending.size > 0 : pending.get(request.key ?? "") === request,
    fail,
    failAll: (reason) => [...pending.keys()].flatMap((key) => fail(key, reason) ?? []),
  };
}

function refused(answer: string): ClientStep {
  return { answer: Promise.resolve(answer) };
}
