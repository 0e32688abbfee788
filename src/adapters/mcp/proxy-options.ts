import type { Readable, Writable } from "node:stream";

import * as z from "zod";
import type { Offloader } from "../../core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { callback, checkedOptions, count, objectOf, optionsOf } from "../../util/option-rules.js";
import { checkServer } from "./check-server.js";
import { protocolOptions } from "./own-tools.js";
import { type ResourceOptions, resourcesRule } from "./resources/resource-options.js";
import type { HttpServer } from "./transport/http-upstream.js";
import type { StdioServer } from "./transport/stdio-upstream.js";

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
  /**
   * Stored outputs are resources too, beside the server's own: listed, and read in whole or in part, by clients of
   * revision 2025-11-25 or earlier.
   *
   * @defaultValue `false`
   */
  readonly resources?: boolean | ResourceOptions;
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
const schema = optionsOf({
  sessionId: z.string().min(1).optional(),
  maxMessageBytes: count.optional(),
  resources: resourcesRule,
  onWarning: callback.optional(),
});

/** The options with their defaults. */
interface CheckedProxyOptions extends Required<
  Pick<OffloadProxyOptions, "input" | "output" | "maxMessageBytes">
> {
  readonly sessionId: string | undefined;
  readonly server: HttpServer | StdioServer;
  readonly resources: boolean | ResourceOptions | undefined;
  readonly warn: (sentence: string) => void;
  /** Those of the walk. */
  readonly walk: OffloadOptions;
}

/** @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option of the proxy's own cannot be used. */
export function proxyOptions(options: OffloadProxyOptions): CheckedProxyOptions {
  const {
    upstream: server,
    input = process.stdin,
    output = process.stdout,
    sessionId: session,
    maxMessageBytes: mostBytes,
    resources: wanted,
    onWarning,
    ...walk
  } = objectOf("createOffloadProxy", options);
  const {
    sessionId,
    maxMessageBytes = MAX_MESSAGE_BYTES,
    resources,
  } = checkedOptions<Pick<OffloadProxyOptions, "sessionId" | "maxMessageBytes" | "resources">>(
    "createOffloadProxy",
    schema,
    {
      sessionId: session,
      maxMessageBytes: mostBytes,
      resources: wanted,
      onWarning,
    },
  );
  checkServer(server);
  return {
    server,
    input,
    output,
    sessionId,
    maxMessageBytes,
    resources,
    warn: onWarning ?? ((sentence) => void process.stderr.write(`${sentence}\n`)),
    walk,
  };
}

/** What holds of the walk's options in a proxy. Its tools are for clients of every kind; a model without a shell reads text with `read`. */
export function proxyWalk({ drillIn, ...options }: OffloadOptions): OffloadOptions {
  if (drillIn === false) return protocolOptions({ ...options, drillIn });
  const names = { grep: false as const, jq: false as const, ...drillIn?.names };
  return protocolOptions({ ...options, drillIn: { ...drillIn, names } });
}
