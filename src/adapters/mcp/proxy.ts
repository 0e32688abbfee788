import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

import { offloaderFor } from "../../core/pipeline/create-offloader.js";
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
import { linesOf, type Received, writeLine } from "./transport/framing.js";
import { httpUpstream } from "./transport/http-upstream.js";
import { stdioUpstream } from "./transport/stdio-upstream.js";
import { isRequest, nothing, reasonOf, type UpstreamHost, within } from "./transport/upstream.js";

export type { OffloadProxy, OffloadProxyEnd, OffloadProxyOptions } from "./options.js";

const MAX_PENDING = 64;
const LAST_ANSWERS_MS = 10_000;
const LOOK_MS = 10;
const FLUSH_MS = 2_000;
/** How an answer begins that is not JSON, such as one with `NaN`. Logs begin otherwise. */
const ANSWER = /^\{"(?:jsonrpc|result|error)"/;

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
  const { upstream: server, input, output, sessionId, maxMessageBytes, onWarning: warn } = checked;
  const offloader = inProtocol(
    offloaderFor("createOffloadProxy", checked.offloadOptions, proxyDefaults),
  );
  const inspector = createInspector({ offloader, sessionId, role: "proxy", warn });
  const pending = new Set<Promise<void>>();
  const released = new AbortController();
  let drained: Promise<void> | undefined;
  let end: OffloadProxyEnd | undefined;
  let resolveClosed: (end: OffloadProxyEnd) => void;
  const closed = new Promise<OffloadProxyEnd>((resolve) => {
    resolveClosed = resolve;
  });

  function unreadable(side: "client" | "server", line: Received): string {
    const why = line === undefined ? `longer than ${maxMessageBytes} bytes` : "not a message";
    return `What the ${side} sent was ${why} and was dropped`;
  }

  function track(work: Promise<void>): Promise<void> | undefined {
    const settled = work.catch(nothing).finally(() => pending.delete(settled));
    pending.add(settled);
    return pending.size < MAX_PENDING ? undefined : Promise.race(pending);
  }

  async function tell(sentence: string): Promise<void> {
    warn(shorten(await redactedSentence(offloader, sentence), MAX_REASON_CHARACTERS));
  }

  function write(line: Shown): Promise<void> | undefined {
    if (line instanceof Promise) return track(line.then((text) => write(text)));
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
    isPending: (request) => inspector.isPending(request),
    onMessage(line) {
      const message = readMessage(line);
      if (message !== undefined) return write(inspector.fromServer(message));
      const reason = unreadable("server", line);
      warn(`${reason}.`);
      // Whose answer it was is not known.
      if (line === undefined || ANSWER.test(line)) failAll(reason);
      return undefined;
    },
    onFailed(message, reason) {
      if (!isRequest(message)) host.warn(reason);
      // Another request may have its id by now.
      else if (inspector.isPending(message)) void write(inspector.fail(message.key, reason));
    },
    onEnd: (reason) => void finish({ by: "server", reason }),
  };

  const upstream = "url" in server ? httpUpstream(server, host) : stdioUpstream(server, host);

  function take(message: Message): Promise<void> | undefined {
    const step = inspector.fromClient(message);
    return "answer" in step ? write(step.answer) : upstream.send(message, step.forward);
  }

  async function readClient(): Promise<void> {
    for await (const line of linesOf(input, maxMessageBytes)) {
      if (line?.trim() === "") continue;
      const message = readMessage(line);
      if (message !== undefined) await take(message);
      else {
        const reason = unreadable("client", line);
        warn(`${reason}.`);
        await write(errorAnswer({}, reason, CODES.invalidRequest));
      }
    }
  }

  async function finishClient(): Promise<void> {
    const until = Date.now() + LAST_ANSWERS_MS;
    const isOver = (): boolean => released.signal.aborted || Date.now() >= until;
    while (inspector.isPending() && !isOver()) await delay(LOOK_MS);
    await finish({ by: "client" });
  }

  async function finish(how: OffloadProxyEnd): Promise<void> {
    if (end !== undefined) return;
    end = how;
    input.destroy();
    released.abort();
    if (how.by === "server") failAll(how.reason);
    await upstream.close(how.by === "close");
    failAll("The connection has ended");
    await Promise.all(pending);
    if (!output.destroyed && !output.writableEnded) {
      const written = new Promise<void>((resolve) => {
        output.write("", () => resolve());
      });
      await within(written, FLUSH_MS);
    }
    await offloader.close();
    resolveClosed(how);
  }

  function failAll(reason = ""): void {
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
