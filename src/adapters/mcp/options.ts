import type { Readable, Writable } from "node:stream";

import * as z from "zod";

import type { OffloadOptions } from "../../core/options/options.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { OffloadError } from "../../core/types/errors.js";
import { isRecord } from "../../util/is-record.js";
import { callback, checkedOptions, count, objectOf, optionsOf } from "../../util/option-rules.js";
import { protocolOptions } from "./own-tools.js";
import type { HttpServer } from "./transport/http-upstream.js";
import type { StdioServer } from "./transport/stdio-upstream.js";

/** The ends of a proxy, and every option of its offloader. */
export interface OffloadProxyOptions extends OffloadOptions {
  /** The server behind the proxy: reached over streamable HTTP, or started as a process. */
  readonly upstream: HttpServer | StdioServer;
  /** What the client writes. @defaultValue `process.stdin` */
  readonly input?: Readable;
  /** What the client reads. Only the protocol is written to it. @defaultValue `process.stdout` */
  readonly output?: Writable;
  /**
   * The session that owns stored outputs. Use one id for connections that share outputs, such as
   * those of a client that restarts the proxy.
   * @defaultValue a random one for this connection
   */
  readonly sessionId?: string;
  /** Longest message of either side, in bytes. @defaultValue `67_108_864`, 64 MiB */
  readonly maxMessageBytes?: number;
  /** Receives a sentence for each problem that the user can fix. @defaultValue standard error */
  readonly onWarning?: (sentence: string) => void;
}

/** A proxy between one client and one server. */
export interface OffloadProxy {
  /** Resolves when the connection is over and everything is written. Never rejects. */
  readonly closed: Promise<OffloadProxyEnd>;
  /** Ends the connection after pending outputs are stored and answers are written. */
  close(): Promise<OffloadProxyEnd>;
  readonly offloader: Offloader;
}

/** Which side ended the connection: the client, the server, or `close()`. */
export interface OffloadProxyEnd {
  readonly by: "client" | "server" | "close";
  /** How the server ended. */
  readonly reason?: string | undefined;
}

const MAX_MESSAGE_BYTES = 67_108_864;
const sessionId = z.string().min(1).optional();
const proxySchema = optionsOf({
  sessionId,
  maxMessageBytes: count.optional(),
  onWarning: callback.optional(),
});
export const serverSchema: z.ZodType = optionsOf({
  sessionId,
  sharedFilesystem: z.boolean().optional(),
});

type Ends = Pick<OffloadProxyOptions, "input" | "output" | "maxMessageBytes" | "onWarning">;

interface CheckedProxyOptions extends Required<Ends> {
  readonly upstream: HttpServer | StdioServer;
  readonly sessionId: string | undefined;
  readonly offloadOptions: OffloadOptions;
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option of the proxy itself cannot be used. */
export function proxyOptions(options: OffloadProxyOptions): CheckedProxyOptions {
  const {
    upstream,
    input = process.stdin,
    output = process.stdout,
    sessionId,
    maxMessageBytes = MAX_MESSAGE_BYTES,
    onWarning = (sentence: string) => void process.stderr.write(`${sentence}\n`),
    ...offloadOptions
  } = objectOf("createOffloadProxy", options);
  const own = { sessionId, maxMessageBytes, onWarning };
  checkedOptions("createOffloadProxy", proxySchema, own);
  const problem = problemOf(upstream);
  if (problem !== undefined) throw new OffloadError("INVALID_OPTIONS", problem);
  return { ...own, upstream, input, output, offloadOptions };
}

export function proxyDefaults({ drillIn, ...options }: OffloadOptions): OffloadOptions {
  if (drillIn === false) return protocolOptions({ ...options, drillIn });
  const names = { grep: false as const, jq: false as const, ...drillIn?.names };
  const sql = drillIn?.names?.["jq"] ? "auto" : false;
  return protocolOptions({ ...options, drillIn: { sql, ...drillIn, names } });
}

function problemOf(server: HttpServer | StdioServer): string | undefined {
  const given: unknown = server;
  if (!isRecord(given)) return "`upstream` is not a server: use { url } or { command }.";
  if ("command" in server) {
    if (server.command === "") return "`upstream.command` is empty.";
    if (Array.isArray(server.args ?? [])) return undefined;
    return "`upstream.args` must be a list of strings.";
  }
  if (!URL.canParse(String(server.url)))
    return "`upstream.url` is not a URL such as https://host/mcp.";
  const { protocol, username, password, hostname } = new URL(server.url);
  if (protocol !== "http:" && protocol !== "https:") {
    return "`upstream.url` must begin with https:// or http://.";
  }
  if (username !== "" || password !== "") {
    return "`upstream.url` contains a user or a password; pass them in `upstream.headers`.";
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const hasSecret = Object.keys(server.headers ?? {}).length > 0;
  return protocol === "http:" && hasSecret && !isHere
    ? "`upstream.headers` may contain a secret, which http:// would send in the clear; use https://."
    : undefined;
}
