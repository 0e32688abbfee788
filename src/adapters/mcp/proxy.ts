import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { isJson } from "../../core/content/value/any-json.js";
import { offloaderFor } from "../../core/pipeline/create-offloader.js";
import { keepLatest } from "../../util/keep-latest.js";
import { shorten } from "../../util/safe-text.js";
import { createInspector, type Shown } from "./inspector.js";
import { CODES, errorAnswer, MAX_REASON_CHARACTERS, type Message, readMessage } from "./message.js";
import {
  type OffloadProxy,
  type OffloadProxyEnd,
  type OffloadProxyOptions,
  proxyOptions,
  proxyDefaults,
} from "./options.js";
import { inProtocol } from "./own-tools.js";
import { redactedSentence } from "./redact-result.js";
import {
  envelopeOf,
  isTooLong,
  linesOf,
  type LongMessage,
  writeLine,
} from "./transport/framing.js";
import { httpUpstream } from "./transport/http-upstream.js";
import { stdioUpstream } from "./transport/stdio-upstream.js";
import { isRequest, nothing, reasonOf, type UpstreamHost, within } from "./transport/upstream.js";

export type { OffloadProxy, OffloadProxyEnd, OffloadProxyOptions } from "./options.js";

const MAX_PENDING = 64;
const LAST_ANSWERS_MS = 10_000;
const LOOK_MS = 10;
const FLUSH_MS = 2_000;
/** Warnings that are not told again. */
const MAX_TOLD = 100;

/**
 * Starts a Model Context Protocol server in front of another one that keeps large tool results out of the client's
 * context. It talks to the client over standard input and output. Messages pass unchanged, except for `initialize`
 * and requests for tools (declare the proxy), the list of tools (gets those that read stored outputs; output schemas
 * accept descriptors), and the results of tools and tasks. These are changed only as far as needed. The drill-in tools are `lro_extract`
 * and `read_tool_output` unless `drillIn.names` names more: `{ grep: "grep_tool_output", jq: "jq_tool_output" }`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloadProxy(options: OffloadProxyOptions): OffloadProxy {
  const checked = proxyOptions(options);
  const { upstream: server, input, output, sessionId, maxMessageBytes, onWarning } = checked;
  const offloader = inProtocol(
    offloaderFor("createOffloadProxy", checked.offloadOptions, proxyDefaults),
  );
  const inspector = createInspector({ offloader, sessionId, role: "proxy", warn });
  const pending = new Set<Promise<void>>();
  const told = new Map<string, true>();
  const released = new AbortController();
  let drained: Promise<void> | undefined;
  let end: OffloadProxyEnd | undefined;
  let resolveClosed: (end: OffloadProxyEnd) => void;
  const closed = new Promise<OffloadProxyEnd>((resolve) => {
    resolveClosed = resolve;
  });

  function warn(sentence: string) {
    if (!told.has(sentence)) onWarning(sentence);
    keepLatest(told, sentence, true, MAX_TOLD);
  }

  function track(work: Promise<void>): Promise<void> | undefined {
    const settled = work.catch(nothing).finally(() => pending.delete(settled));
    pending.add(settled);
    return pending.size < MAX_PENDING ? undefined : Promise.race(pending);
  }

  async function tell(sentence: string) {
    warn(shorten(await redactedSentence(offloader, sentence), MAX_REASON_CHARACTERS));
  }

  function write(line: Shown): Promise<void> | undefined {
    if (line instanceof Promise) return track(line.then(write));
    if (line === undefined || output.destroyed || output.writableEnded) return undefined;
    const { signal } = released;
    if (writeLine(output, line) || signal.aborted) return undefined;
    const forget = (): void => (drained = undefined);
    drained ??= once(output, "drain", { signal }).then(forget, forget);
    return drained;
  }

  const host: UpstreamHost = {
    warn: (sentence) => void track(tell(sentence)),
    maxMessageBytes,
    onMessage(line) {
      if (isTooLong(line)) {
        const reason = tooLong("server", line);
        if (line.hasMethod || !fail(line.id, reason)) warn(`${reason}.`);
        return undefined;
      }
      if (!line.trim()) return undefined;
      const message = readMessage(line);
      if (message !== undefined) return write(inspector.fromServer(message));
      const { id, isRpc, hasMethod } = envelopeOf(line);
      if (!isRpc || hasMethod || !fail(id, "The server's answer is not JSON"))
        warn("The server sent something that is not a message. It was dropped.");
      return undefined;
    },
    onFailed(message, reason) {
      if (!isRequest(message)) host.warn(reason);
      // Another request may have its id by now.
      else if (inspector.isPending(message)) fail(message.key, reason);
    },
    onEnd: (reason) => void finish({ by: "server", reason }),
  };

  function fail(key: string | undefined, reason: string): boolean {
    const answer = inspector.fail(key, reason);
    void write(answer);
    return answer !== undefined;
  }

  const upstream = "url" in server ? httpUpstream(server, host) : stdioUpstream(server, host);

  function take(message: Message): Promise<void> | undefined {
    const step = inspector.fromClient(message);
    return "answer" in step ? write(step.answer) : upstream.send(message, step);
  }

  async function readClient() {
    for await (const line of linesOf(input, maxMessageBytes)) {
      if (isTooLong(line)) {
        const reason = tooLong("client", line);
        warn(`${reason}.`);
        if (line.id !== undefined && line.hasMethod)
          await write(errorAnswer({ key: line.id }, reason, CODES.invalidRequest));
        continue;
      }
      const message = readMessage(line);
      if (message !== undefined) await take(message);
      else if (line.trim()) {
        warn("The client sent something that is not a message. It was dropped.");
        const reason = "This is not a JSON-RPC 2.0 message.";
        const { id, hasMethod } = envelopeOf(line);
        // The id of a broken answer is one of the server's.
        const key = hasMethod ? id : undefined;
        const code = isJson(line) ? CODES.invalidRequest : CODES.parseError;
        await write(errorAnswer({ key }, reason, code));
      }
    }
  }

  async function finishClient() {
    const until = Date.now() + LAST_ANSWERS_MS;
    const isOver = () => released.signal.aborted || Date.now() >= until;
    while (inspector.isPending() && !isOver()) await delay(LOOK_MS);
    await finish({ by: "client" });
  }

  async function finish(how: OffloadProxyEnd) {
    if (end !== undefined) return;
    end = how;
    input.destroy();
    released.abort();
    if (how.by === "server") failAll(how.reason);
    const failure = await upstream.close(how.by === "close");
    failAll("The connection has ended");
    await Promise.all(pending);
    if (!output.destroyed && !output.writableEnded) {
      const written = new Promise<void>((resolve) => {
        output.write("", () => resolve());
      });
      await within(written, FLUSH_MS);
    }
    await offloader.close();
    const isFailure = how.by === "client" && failure !== undefined;
    resolveClosed(isFailure ? { by: "server", reason: failure } : how);
  }

  function failAll(reason = "") {
    for (const answer of inspector.failAll(reason)) void write(answer);
  }

  output.on("error", () => void finish({ by: "client" }));
  readClient()
    .catch((error: unknown) => {
      if (end === undefined) warn(`The client cannot be read: ${reasonOf(error)}`);
    })
    .finally(() => void finishClient());
  // A killed process may have left files behind.
  offloader.sweep().catch(nothing);

  return {
    closed,
    offloader,
    close() {
      void (end === undefined ? finish({ by: "close" }) : upstream.close(true));
      return closed;
    },
  };
}

function tooLong(side: "client" | "server", { maxBytes }: LongMessage): string {
  return `A message from the ${side} was longer than ${maxBytes} bytes and was dropped`;
}
