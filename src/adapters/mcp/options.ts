import type { Readable, Writable } from "node:stream";

import * as z from "zod";

import type { OffloadOptions } from "../../core/options/options.js";
import { withAnyOptions } from "../../core/options/schema.js";
import type { Offloader } from "../../core/pipeline/offloader.js";
import { callback, checkedOptions, count, having, objectOf } from "../../util/option-rules.js";
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
  /** Receives one sentence for each problem that the user can fix. @defaultValue standard error */
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
  "`upstream` must be { command, args }, or { url, headers } with https:// and no user or password; http:// only without headers or to this machine. A header is one line of Latin-1 characters, and no text has a NUL character.";
/** What Node takes. */
const HEADER = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/;
/** Node's own error would show the others, which may contain a secret. */
const word = z.string().regex(/^[^\0]*$/);
const localServer = z.strictObject({
  command: word.min(1),
  args: z.array(word).optional(),
  env: z.record(word, word.optional()).optional(),
  cwd: word.optional(),
});
const remoteServer = z.strictObject({ url: z.unknown(), headers: z.record(word, word).optional() });
const sessionId = z.string().min(1).optional();
const proxySchema = withAnyOptions({
  upstream: z.custom(isServer, NO_SERVER),
  input: having(["pipe", "destroy"], "a readable stream").optional(),
  output: having(["write", "end"], "a writable stream").optional(),
  sessionId,
  maxMessageBytes: count.optional(),
  onWarning: callback.optional(),
});
export const serverSchema: z.ZodType = withAnyOptions({
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
  } = checkedOptions<OffloadProxyOptions>(
    "createOffloadProxy",
    proxySchema,
    objectOf("createOffloadProxy", options),
  );
  return { upstream, input, output, sessionId, maxMessageBytes, onWarning, offloadOptions };
}

export function proxyDefaults({ drillIn, ...options }: OffloadOptions): OffloadOptions {
  if (drillIn === false) return protocolOptions({ ...options, drillIn });
  const { tools = [], names: given = {} } = drillIn ?? {};
  const asked = [...tools.map(({ tool }) => tool), ...Object.keys(given)];
  const unasked = ["grep", "jq"].filter((key) => !asked.includes(key));
  const names = { ...Object.fromEntries(unasked.map((key) => [key, false as const])), ...given };
  const sql = given["jq"] || asked.includes("sql") ? "auto" : false;
  return protocolOptions({ ...options, drillIn: { sql, ...drillIn, names } });
}

/** Headers may contain a secret, which http:// would send in the clear. */
function isServer(server: unknown): boolean {
  if (localServer.safeParse(server).success) return true;
  const { data: { url, headers } = {} } = remoteServer.safeParse(server);
  if (!URL.canParse(String(url))) return false;
  const fields = Object.entries(headers ?? {});
  if (!fields.every((field) => HEADER.test(field.join(":")))) return false;
  const { protocol, username, password, hostname } = new URL(String(url));
  if (username || password) return false;
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === "https:" || (protocol === "http:" && (isHere || fields.length === 0));
}
