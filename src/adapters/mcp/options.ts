import type { Readable, Writable } from "node:stream";

import * as z from "zod";

import type { OffloadOptions } from "../../core/options/options.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { refuseOptions } from "../../core/types/errors.js";
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
const NO_SERVER =
  "`upstream` must be { command, args }, or { url, headers } with https:// and no user or password; http:// only without headers or to this machine.";
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

interface CheckedProxyOptions extends Required<
  Pick<OffloadProxyOptions, "upstream" | "input" | "output" | "maxMessageBytes" | "onWarning">
> {
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
  if (!isServer(upstream)) refuseOptions(NO_SERVER);
  return { ...own, upstream, input, output, offloadOptions };
}

export function proxyDefaults({ drillIn, ...options }: OffloadOptions): OffloadOptions {
  if (drillIn === false) return protocolOptions({ ...options, drillIn });
  const names = { grep: false as const, jq: false as const, ...drillIn?.names };
  const sql = drillIn?.names?.["jq"] ? "auto" : false;
  return protocolOptions({ ...options, drillIn: { sql, ...drillIn, names } });
}

/** Headers may contain a secret, which http:// would send in the clear. */
function isServer(server: unknown): boolean {
  if (!isRecord(server)) return false;
  const { command, args = [], url, headers } = server;
  if (command !== undefined) {
    const words: readonly unknown[] = Array.isArray(args) ? [command, ...args] : [];
    // Node's own error would show the others, which may contain a secret.
    const areWords = words.every((word) => typeof word === "string" && !word.includes("\0"));
    return words.length > 0 && command !== "" && areWords;
  }
  if (!URL.canParse(String(url))) return false;
  const { protocol, username, password, hostname } = new URL(String(url));
  if (username !== "" || password !== "") return false;
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  const isBare = Object.keys(Object(headers)).length === 0;
  return protocol === "https:" || (protocol === "http:" && (isHere || isBare));
}
