import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";

import { OffloadError } from "../../errors.js";
import { createOffloader, type Offloader } from "../../offload.js";
import type { DrillInOptions, OffloadOptions } from "../../options.js";
import { clientOutput } from "./client-output.js";
import { type HttpServer, httpUpstream } from "./http-upstream.js";
import { createInspector } from "./inspector.js";
import { linesOf } from "./lines.js";
import { type Message, readMessages } from "./message.js";
import { type StdioServer, stdioUpstream } from "./stdio-upstream.js";
import { reasonOf, type UpstreamHost } from "./upstream.js";

/** Where a proxy stands, and what it does with results: every option of the walk. */
export interface OffloadProxyOptions extends OffloadOptions {
  /** The server that answers: over streamable HTTP, or started as a process. */
  readonly upstream: HttpServer | StdioServer;
  /** What the client writes. @defaultValue `process.stdin` */
  readonly input?: Readable;
  /** What the client reads. Nothing but the protocol is written to it. @defaultValue `process.stdout` */
  readonly output?: Writable;
  /**
   * Stored outputs belong to it. Give one name to connections that are to reach each other's outputs, such as
   * those of a client that starts the proxy anew.
   *
   * @defaultValue a random one for this connection
   */
  readonly sessionId?: string;
  /** Longest message of either side, in bytes. @defaultValue `67_108_864`, 64 MiB */
  readonly maxMessageBytes?: number;
  /** Told in a sentence of what the user can change. @defaultValue standard error */
  readonly onWarning?: (sentence: string) => void;
}

/** A proxy between one client and one server. */
export interface OffloadProxy {
  /** Resolves when the connection is over and everything is written. Never rejects. */
  readonly closed: Promise<OffloadProxyEnd>;
  /** Ends the connection: what is being stored is stored, what is answered is written. */
  close(): Promise<OffloadProxyEnd>;
  readonly offloader: Offloader;
}

/** Which side ended the connection: the client, the server, or `close()`. */
export interface OffloadProxyEnd {
  readonly by: "client" | "server" | "close";
  /** What the server's end was. */
  readonly reason?: string | undefined;
}

const MAX_MESSAGE_BYTES = 67_108_864;
/** Results that are being stored at once; then the server waits. */
const MAX_WALKS = 64;
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
  const { upstream: server, input = process.stdin, output = process.stdout, ...rest } = options;
  const { sessionId = randomUUID(), maxMessageBytes = MAX_MESSAGE_BYTES, onWarning, ...own } = rest;
  const warn = onWarning ?? ((sentence) => void process.stderr.write(`${sentence}\n`));
  checkServer(server);
  const offloader = createOffloader({ ...own, drillIn: toolsOf(own.drillIn) });
  const inspector = createInspector({ offloader, sessionId, role: "proxy", warn });
  const client = clientOutput(output);
  const walks = new Set<Promise<void>>();
  let end: OffloadProxyEnd | undefined;
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

  const host: UpstreamHost = {
    warn,
    maxMessageBytes,
    isPending: (key) => inspector.isPending(key),
    onMessage(line) {
      const messages = readMessages(line.toString("utf8"));
      if (messages === undefined) {
        warn(
          `The server wrote something that is no message; it was left out (${line.length} bytes).`,
        );
        return undefined;
      }
      const [only] = messages;
      if (messages.length === 1 && only !== undefined) return pass(only, line);
      const waits = messages.flatMap((message) => pass(message, message.text) ?? []);
      return waits.length === 0 ? undefined : Promise.all(waits).then(nothing);
    },
    onFailed(key, reason) {
      const answer = inspector.fail(key, reason);
      if (answer !== undefined) void client.write(answer);
    },
    onEnd(reason) {
      void finish({ by: "server", reason });
    },
  };

  function pass(message: Message, line: Uint8Array | string): Promise<void> | undefined {
    const step = inspector.fromServer(message);
    if (typeof step === "string") return client.write(step === message.text ? line : step);
    return track(passWalked(step, message, line));
  }

  async function passWalked(
    step: Promise<string>,
    { text }: Message,
    line: Uint8Array | string,
  ): Promise<void> {
    const walked = await step;
    await client.write(walked === text ? line : walked);
  }

  const upstream = "url" in server ? httpUpstream(server, host) : stdioUpstream(server, host);

  async function passAnswer(answer: Promise<string | undefined>): Promise<void> {
    const text = await answer;
    if (text !== undefined) await client.write(text);
  }

  async function readClient(): Promise<void> {
    for await (const line of linesOf(input, maxMessageBytes)) {
      const messages = readMessages(line.toString("utf8"));
      if (messages === undefined) {
        if (line.length > 0)
          warn("The client wrote something that is no message; it was left out.");
        continue;
      }
      for (const message of messages) {
        const step = inspector.fromClient(message);
        if ("forward" in step) await upstream.send(message, step.forward);
        else if ("answer" in step) await track(passAnswer(step.answer));
      }
    }
  }

  async function finish(how: OffloadProxyEnd): Promise<void> {
    if (end !== undefined) return;
    end = how;
    if (how.by === "server") {
      for (const answer of inspector.failAll(how.reason ?? "")) void client.write(answer);
    }
    input.destroy();
    client.release();
    await upstream.close();
    await Promise.all(walks);
    await client.flush(FLUSH_MS);
    await offloader.close();
    resolveClosed(how);
  }

  output.on("error", () => void finish({ by: "client" }));
  readClient()
    .catch((error: unknown) => {
      if (end === undefined) warn(`The client cannot be read: ${reasonOf(error)}`);
    })
    .finally(() => void finish({ by: "client" }));
  // A process that was killed has left files behind.
  offloader.sweep().catch(nothing);

  return {
    closed,
    offloader,
    close() {
      void finish({ by: "close" });
      return closed;
    },
  };
}

/** The tools for clients of every kind; a model without a shell reads text with `read`. */
function toolsOf(given: OffloadOptions["drillIn"]): DrillInOptions | false {
  if (given === false) return false;
  return { ...given, names: { grep: false, jq: false, ...given?.names } };
}

function checkServer(server: HttpServer | StdioServer): void {
  const problem = problemOf(server);
  if (problem !== undefined) throw new OffloadError("INVALID_OPTIONS", problem);
}

function problemOf(server: HttpServer | StdioServer): string | undefined {
  if ("command" in server)
    return server.command === "" ? "`upstream.command` is empty." : undefined;
  if (!URL.canParse(String(server.url)))
    return "`upstream.url` is no address, such as https://host/mcp.";
  const { protocol, username, password, hostname } = new URL(server.url);
  if (protocol !== "http:" && protocol !== "https:") {
    return "`upstream.url` has to begin with https:// or http://.";
  }
  if (username !== "" || password !== "") {
    return "`upstream.url` holds a user or a password; pass them in `upstream.headers`.";
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const hasSecret = Object.keys(server.headers ?? {}).length > 0;
  return protocol === "http:" && hasSecret && !isHere
    ? "`upstream.headers` may hold a secret, which http:// would send in the clear; use https://."
    : undefined;
}

function nothing(): void {}
