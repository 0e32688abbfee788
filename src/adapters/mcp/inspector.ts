import { randomUUID } from "node:crypto";

import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { sessionKeyOf } from "../../core/store/naming.js";
import { CODES, errorAnswer, type Message, requestKey } from "./message.js";
import { createOwnTools, withOwnTools } from "./own-tools.js";
import { isFromProxy, withProxyFlag } from "./proxy-flag.js";
import { createToolAnswers, isOfTools } from "./tool-answers.js";
import type { Forwarded } from "./transport/upstream.js";

export interface InspectorOptions {
  readonly offloader: Offloader;
  readonly sessionId?: string | undefined;
  readonly role: "proxy" | "server";
  readonly offloads?: boolean;
  readonly warn: (sentence: string) => void;
}

export type Shown = string | undefined | Promise<string | undefined>;

type ClientStep = Forwarded | { readonly answer: Shown };

export interface Inspector {
  fromClient(message: Message): ClientStep;
  fromServer(message: Message): Shown;
  isPending(request?: Message): boolean;
  fail(key: string | undefined, reason: string): Shown;
  failAll(reason: string): Shown[];
}

const MAX_PENDING = 10_000;
const REPEATED =
  "Another request with this id is still waiting for its answer. Use an id that is not in use.";
const UNASKED =
  "The server sent an answer that no request is waiting for. It was dropped, because it cannot be redacted.";

export function createInspector(options: InspectorOptions): Inspector {
  const { offloader, role, offloads = true, warn, sessionId = randomUUID() } = options;
  const access = internals(offloader).accessOf(options.sessionId);
  const own = createOwnTools(offloader, sessionKeyOf(sessionId), access);
  const pending = new Map<string, { readonly request: Message; readonly over: AbortController }>();
  const running = new Map<string, AbortController>();
  let isActive = offloads;
  const toolAnswers = createToolAnswers(offloader, sessionId, () => isActive);

  async function answerHere(
    request: Message,
    key: string,
    name: string,
  ): Promise<string | undefined> {
    const cancelled = new AbortController();
    const { signal } = cancelled;
    running.set(key, cancelled);
    const answer = await own.call(name, request.params["arguments"], signal).then(
      (result) => `{"jsonrpc":"2.0","id":${request.key ?? null},"result":${result}}`,
      (error: unknown) => errorAnswer(request, String(error)),
    );
    running.delete(key);
    return signal.aborted ? undefined : answer;
  }

  function answeredBy(said: string = ""): Message | undefined {
    // Some servers return the number of a request as text, and clients accept it.
    const key = pending.has(said) ? said : said.replace(/^"(.*)"$/, "$1");
    const { request, over } = pending.get(key) ?? {};
    pending.delete(key);
    over?.abort();
    return request;
  }

  function fail(key: string | undefined, reason: string): Shown {
    const request = answeredBy(key);
    return request && toolAnswers.failure(request, reason);
  }

  return {
    fromClient(message) {
      const { text, key, method, params } = message;
      if (method === "initialize" || isFromProxy(message))
        isActive = offloads && !isFromProxy(message);
      if (method === "notifications/cancelled") {
        const cancelled = requestKey(text, ["params", "requestId"], params["requestId"]) ?? "";
        const cancels = pending.get(cancelled)?.over;
        pending.delete(cancelled);
        const call = running.get(cancelled);
        call?.abort();
        return call ? { answer: undefined } : { forward: text, cancels };
      }
      if (method === undefined || key === undefined) return { forward: text };
      // Two answers with one id would be indistinguishable.
      if (pending.has(key) || running.has(key))
        return { answer: errorAnswer(message, REPEATED, CODES.invalidRequest) };
      const { name } = params;
      if (isActive && method === "tools/call" && own.has(name))
        return { answer: answerHere(message, key, name) };
      if (pending.size >= MAX_PENDING)
        return { answer: errorAnswer(message, "Too many requests are waiting for an answer.") };
      const over = new AbortController();
      pending.set(key, { request: message, over });
      return { forward: role === "proxy" ? withProxyFlag(message) : text, until: over.signal };
    },
    fromServer(message) {
      const { text, key, method, result } = message;
      if (method !== undefined) return key === undefined ? toolAnswers.told(message) : text;
      const request = answeredBy(key);
      if (request === undefined) {
        // Without its request, an answer cannot be cleaned.
        if (internals(offloader).host.clean === undefined) return text;
        warn(UNASKED);
        return undefined;
      }
      if (isOfTools(request)) return toolAnswers.answer(message, request);
      return isActive && result !== undefined && request.method === "tools/list"
        ? withOwnTools(message, own, (name) =>
            warn(
              `The server's tool ${JSON.stringify(name)} is hidden by the tool of that name that reads stored outputs.`,
            ),
          )
        : text;
    },
    isPending: (request) =>
      request ? pending.get(request.key ?? "")?.request === request : pending.size > 0,
    fail,
    failAll: (reason) => [...pending.keys()].map((key) => fail(key, reason)),
  };
}
