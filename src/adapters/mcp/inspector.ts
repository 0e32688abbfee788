import { randomUUID } from "node:crypto";

import { internals } from "../../core/pipeline/offloader.js";
import { scopeOf } from "../../core/store/naming.js";
import {
  cancelledKey,
  errorAnswer,
  isSameId,
  type Message,
  numberIn,
  refusal,
  resultAnswer,
} from "./message.js";
import { createOwnTools } from "./own-tools.js";
import { isFromProxy, withProxyFlag } from "./proxy-flag.js";
import type { InspectorOptions } from "./inspector-options.js";
import { createResourceDesk } from "./resources/resource-desk.js";
import { withOwnTools } from "./tool-list.js";
import { createToolAnswers, isOfTools } from "./results/tool-answers.js";

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
  /** Tells the client nothing more by itself. */
  close(): void;
}

/** Requests that wait for an answer at once; one more is refused. */
const MAX_PENDING = 100_000;
const REPEATED =
  "Another request with this id waits for its answer, which is still to come; use an id that is not in use.";

/** Makes an inspector for one connection. */
export function createInspector(options: InspectorOptions): Inspector {
  const { offloader, role, offloads = true, resources, warn } = options;
  const { sessionId = randomUUID() } = options;
  const scope = scopeOf(sessionId);
  const access = internals(offloader).accessOf(options.sessionId);
  const own = createOwnTools(offloader, scope, access);
  const desk = resources && createResourceDesk({ ...resources, offloader, scope, access, warn });
  const pending = new Map<string, Message>();
  const running = new Map<string, AbortController>();
  const hidden = new Set<string>();
  let isActive = offloads;
  const toolAnswers = createToolAnswers({
    offloader,
    sessionId,
    offloads: () => isActive,
    link: desk && ((artifact) => desk.link(artifact)),
  });

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
    if (method !== "tools/call") return desk?.answering(request);
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
    desk?.note(message);
    if (method === "notifications/cancelled" && cancel(message)) return { ignored: true };
    if (method === undefined || key === undefined) return { forward: text };
    // Forwarded, the two could not be told apart, and one answer would be taken for the other.
    if (pending.has(key) || running.has(key)) {
      return { answer: Promise.resolve(refusal(message, REPEATED)) };
    }
    const answer = isActive ? answering(message) : undefined;
    if (answer !== undefined) return { answer: answerHere(message, key, answer) };
    if (pending.size >= MAX_PENDING) {
      return {
        answer: Promise.resolve(errorAnswer(message, "Too many requests wait for an answer.")),
      };
    }
    pending.set(key, message);
    return { forward: role === "proxy" ? withProxyFlag(message) : text };
  }

  /**
   * The request that is answered. A server that holds numbers as doubles may round the id of one, and some write a number as a text.
   */
  function answeredKey(key: string): string | undefined {
    if (pending.has(key)) return key;
    const number = numberIn(key);
    if (Number.isNaN(number)) return undefined;
    const spellings = [String(number), JSON.stringify(String(number))];
    return Number.isSafeInteger(number)
      ? spellings.find((asked) => pending.has(asked))
      : [...pending.keys()].find((asked) => isSameId(key, asked));
  }

  /** The request that waited for it, which waits no more. */
  function answeredBy(said: string | undefined): Message | undefined {
    const key = said === undefined ? undefined : answeredKey(said);
    if (key === undefined) return undefined;
    const request = pending.get(key);
    pending.delete(key);
    return request;
  }

  function fromServer(message: Message): ServerStep | Promise<ServerStep> {
    const { text, key, method, result } = message;
    if (method !== undefined) return key === undefined ? toolAnswers.told(message) : text;
    const request = answeredBy(key);
    if (request === undefined) return unasked(message);
    if (isOfTools(request)) return toolAnswers.answer(message, request);
    if (!isActive || result === undefined) return text;
    if (request.method === "tools/list") return withOwnTools(message, own, warnOfHidden);
    return desk?.merged(request, message) ?? text;
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
    close: () => desk?.close(),
    failAll: (reason) => [...pending.keys()].flatMap((key) => fail(key, reason) ?? []),
  };
}
