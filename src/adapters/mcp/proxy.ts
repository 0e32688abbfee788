import { offloaderFor } from "../../core/pipeline/offloader-for.js";
import { shorten } from "../../util/safe-text.js";
import { clientOutput, readClient } from "./client.js";
import { createInspector } from "./inspector.js";
import { MAX_REASON_CHARACTERS, type Message, readMessages, tooLongAnswer } from "./message.js";
import {
  type OffloadProxy,
  type OffloadProxyEnd,
  type OffloadProxyOptions,
  proxyOptions,
  proxyWalk,
} from "./options.js";
import { inProtocol } from "./own-tools.js";
import { redactedSentence } from "./redact-result.js";
import { type Envelope, envelopeOf, withoutMark } from "./transport/framing.js";
import { httpUpstream } from "./transport/http-upstream.js";
import { stdioUpstream } from "./transport/stdio-upstream.js";
import { isRequest, nothing, reasonOf, type UpstreamHost, within } from "./transport/upstream.js";

export type { OffloadProxy, OffloadProxyEnd, OffloadProxyOptions } from "./options.js";

/** Results that are being stored at once; then the server waits. */
const MAX_WALKS = 64;
/** How long answers are waited for when the client has ended its input. */
const LAST_ANSWERS_MS = 10_000;
/** How long the client has to read what is left. */
const FLUSH_MS = 2_000;

/**
 * Starts a server of the Model Context Protocol that stands in front of another one and keeps large
 * tool results out of the client's context. It speaks standard input and output towards the client.
 *
 * It is a pipe: messages pass as they came, byte for byte. Only `initialize` (the proxy says that it is
 * one), `tools/list` (the tools that read stored outputs; output schemas that take descriptors),
 * `tools/call` and the results of tasks are looked at, and changed only as far as that needs.
 *
 * Of the drill-in tools, `lro_extract` and `read_tool_output` are there unless `drillIn.names` names more:
 * `{ grep: "grep_tool_output", jq: "jq_tool_output" }`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function createOffloadProxy(options: OffloadProxyOptions): OffloadProxy {
  const { server, input, output, sessionId, maxMessageBytes, warn, walk } = proxyOptions(options);
  const client = clientOutput(output);
  const offloader = inProtocol(offloaderFor("createOffloadProxy", walk, proxyWalk));
  const inspector = createInspector({ offloader, sessionId, role: "proxy", warn });
  const walks = new Set<Promise<void>>();
  let end: OffloadProxyEnd | undefined;
  let onNonePending: (() => void) | undefined;
  let resolveClosed: (end: OffloadProxyEnd) => void;
  const closed = new Promise<OffloadProxyEnd>((resolve) => {
    resolveClosed = resolve;
  });

  /** Lets a walk go on beside the pipe; waits only when there are many. */
  function track(work: Promise<void>): Promise<void> | undefined {
    const walk = work.catch(nothing).finally(() => walks.delete(walk));
    walks.add(walk);
    return walks.size < MAX_WALKS ? undefined : Promise.race(walks);
  }

  async function tell(sentence: string): Promise<void> {
    warn(shorten(await redactedSentence(offloader, sentence), MAX_REASON_CHARACTERS));
  }

  const host: UpstreamHost = {
    warn: (sentence) => void track(tell(sentence)),
    maxMessageBytes,
    isPending: (request) => inspector.isPending(request),
    onMessage(given) {
      const line = withoutMark(given);
      const messages = readMessages(line.toString("utf8"));
      if (messages === undefined) return tellUnreadable(line);
      const [only] = messages;
      if (messages.length === 1 && only !== undefined) return pass(only, line);
      const waits = messages.flatMap((message) => pass(message, message.text) ?? []);
      return waits.length === 0 ? undefined : Promise.all(waits).then(nothing);
    },
    onTooLong(message) {
      const { id, hasMethod, maxBytes } = message;
      const reason = `A message of the server was longer than ${maxBytes} bytes; it was left out`;
      if (!failOf(message, reason)) warn(`${reason}.`);
      return id !== undefined && hasMethod ? tooLongAnswer(id, reason) : undefined;
    },
    onFailed(message, reason) {
      if (!isRequest(message)) host.warn(reason);
      // Its id may be that of another by now.
      else if (inspector.isPending(message)) fail(message.key ?? "", reason);
    },
    onEnd: (reason) => void finish({ by: "server", reason }),
  };

  function tellUnreadable(line: Buffer): undefined {
    const envelope = envelopeOf(line);
    if (envelope.isRpc && failOf(envelope, "The server's answer is no JSON")) return;
    warn(`The server wrote something that is no message; it was left out (${line.length} bytes).`);
  }

  /** Whether it was an answer that somebody waited for. */
  function failOf({ id, hasMethod }: Envelope, reason: string): boolean {
    return id !== undefined && !hasMethod && fail(id, reason);
  }

  /** Whether somebody waited for the answer. */
  function fail(key: string, reason: string): boolean {
    const answer = inspector.fail(key, reason);
    if (answer !== undefined) void write(answer);
    noteAnswered();
    return answer !== undefined;
  }

  /** The promise is there while no more is taken. */
  function write(
    answer: string | undefined | Promise<string | undefined>,
    message?: Message,
    line: Uint8Array | string = "",
  ): Promise<void> | undefined {
    if (answer instanceof Promise) {
      return track(answer.then((text) => write(text, message, line)));
    }
    // The bytes themselves, when nothing was changed.
    return answer === undefined
      ? undefined
      : client.write(answer === message?.text ? line : answer);
  }

  function noteAnswered(): void {
    if (!inspector.isPending()) onNonePending?.();
  }

  function pass(message: Message, line: Uint8Array | string): Promise<void> | undefined {
    const step = inspector.fromServer(message);
    noteAnswered();
    return write(step, message, line);
  }

  const upstream = "url" in server ? httpUpstream(server, host) : stdioUpstream(server, host);

  function take(message: Message, line?: Buffer): Promise<void> | undefined {
    const step = inspector.fromClient(message);
    if ("answer" in step) return write(step.answer);
    if (!("forward" in step)) return undefined;
    const isSame = step.forward === message.text;
    return upstream.send(message, (isSame && line) || step.forward);
  }

  /** The client says no more, and may still read: what it has asked for is answered. */
  async function finishClient(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      onNonePending = resolve;
    });
    if (inspector.isPending()) await within(answered, LAST_ANSWERS_MS);
    await finish({ by: "client" });
  }

  async function finish(how: OffloadProxyEnd): Promise<void> {
    if (end !== undefined) return;
    end = how;
    input.destroy();
    client.release();
    if (how.by === "server") failAll(how.reason);
    const failure = await upstream.close(how.by === "close");
    failAll("The connection has ended");
    await Promise.all(walks);
    await client.flush(FLUSH_MS);
    await offloader.close();
    const isFailure = how.by === "client" && failure !== undefined;
    resolveClosed(isFailure ? { by: "server", reason: failure } : how);
  }

  function failAll(reason = ""): void {
    for (const answer of inspector.failAll(reason)) void write(answer);
  }

  output.on("error", () => void finish({ by: "client" }));
  readClient(input, {
    client,
    warn,
    maxMessageBytes,
    onMessage: take,
    tellServer: (answer) => void upstream.send(answer, answer.text),
  })
    .catch((error: unknown) => {
      if (end === undefined) warn(`The client cannot be read: ${reasonOf(error)}`);
    })
    .finally(() => void finishClient());
  // A process that was killed has left files behind.
  offloader.sweep().catch(nothing);

  return {
    closed,
    offloader,
    close() {
      // Where the other side has ended already, a server that is slow to end is told to.
      void (end === undefined ? finish({ by: "close" }) : upstream.close(true));
      return closed;
    },
  };
}
