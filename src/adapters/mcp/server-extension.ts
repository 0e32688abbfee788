import * as z from "zod";

import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { offloaderFor } from "../../core/pipeline/offloader-for.js";
import { checkedOptions, objectOf, optionsOf } from "../../util/option-rules.js";
import type { OffloadOptions } from "../../core/options/options.js";
import { createInspector } from "./inspector.js";
import type { InspectorOptions } from "./inspector-options.js";
import { messageOf } from "./message.js";
import { inProtocol, protocolOptions } from "./own-tools.js";
import { type ResourceOptions, resourcesRule } from "./resources/resource-options.js";
import { resourceWiring } from "./resources/resource-wiring.js";

/** What an MCP server's own offloading can be told: every option of the walk, and where the client is. */
export interface LroServerOptions extends OffloadOptions {
  /**
   * The client reads this machine's files, also over HTTP. Without it results are offloaded only where the
   * transport says that the client runs here: standard input and output, or the same process.
   *
   * @defaultValue `false`
   */
  readonly sharedFilesystem?: boolean;
  /**
   * Stored outputs belong to it; drill-ins reach no other.
   *
   * @defaultValue a random one for each connection
   */
  readonly sessionId?: string;
  /**
   * Stored outputs are resources too, beside the server's own: listed, and read in whole or in part, by clients of
   * revision 2025-11-25 or earlier.
   *
   * @defaultValue `false`
   */
  readonly resources?: boolean | ResourceOptions;
}

const schema = optionsOf({
  sharedFilesystem: z.boolean().optional(),
  sessionId: z.string().min(1).optional(),
  resources: resourcesRule,
});

/** What a server of either SDK has. */
export interface ConnectableServer {
  readonly connect: (...args: never[]) => Promise<void>;
}

type Receive = (message: object, extra?: unknown) => void;

/** What a transport of either SDK has. */
interface ServerTransport {
  onmessage?: Receive | undefined;
  send(message: object, options?: unknown): Promise<void>;
}

function warn(sentence: string): void {
  process.emitWarning(sentence, "OffloadWarning");
}

/** Names of transports whose client runs on this machine. */
const LOCAL = /Stdio|InMemory/;

/**
 * Gives a server of the Model Context Protocol its own offloading, with the official TypeScript SDK: call it
 * before `server.connect(transport)`. Large tool results are stored on this machine, `tools/list`
 * gets the tools that read them, and handlers stay as they are. A client that says it is an offloading proxy
 * gets everything inline, also when the SDK drops the word.
 *
 * Over HTTP nothing is offloaded unless `sharedFilesystem` is set.
 *
 * @returns The offloader: its store, its totals, and `close()` for when the server ends.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function lroServerExtension(
  server: ConnectableServer,
  options: LroServerOptions = {},
): Offloader {
  const {
    sharedFilesystem: shared,
    sessionId: session,
    resources: wanted,
    ...given
  } = objectOf("lroServerExtension", options);
  const {
    sharedFilesystem = false,
    sessionId,
    resources,
  } = checkedOptions<LroServerOptions>("lroServerExtension", schema, {
    sharedFilesystem: shared,
    sessionId: session,
    resources: wanted,
  });
  const { wired, resourcesOf } = resourceWiring(resources);
  const offloader = inProtocol(
    offloaderFor("lroServerExtension", given, (options) => wired(protocolOptions(options))),
  );
  const connect: unknown = server.connect;
  if (typeof connect !== "function") return offloader;
  Object.assign(server, {
    connect: (transport: ServerTransport, ...rest: unknown[]) => {
      const isLocal = sharedFilesystem || LOCAL.test(transport.constructor.name);
      const inspector: InspectorOptions = {
        offloader,
        sessionId,
        role: "server",
        offloads: isLocal,
        warn,
        // A client that is gone is told nothing.
        resources: isLocal
          ? resourcesOf((notification) => {
              transport.send(JSON.parse(notification)).catch(() => undefined);
            })
          : undefined,
      };
      // A client that gets everything inline gets it redacted all the same.
      const isLookedAt = isLocal || internals(offloader).host.clean !== undefined;
      const through = isLookedAt ? inspected(transport, inspector) : transport;
      return Reflect.apply(connect, server, [through, ...rest]);
    },
  });
  return offloader;
}

/** The same transport, with an inspector between it and the server. */
function inspected(transport: ServerTransport, options: InspectorOptions): ServerTransport {
  const inspector = createInspector(options);
  let deliver: Receive | undefined;

  async function answer(answered: Promise<string | undefined>, id: unknown): Promise<void> {
    const text = await answered;
    if (text !== undefined) await transport.send(JSON.parse(text), { relatedRequestId: id });
  }

  function receive(message: object, extra?: unknown): void {
    const step = inspector.fromClient(messageOf(JSON.stringify(message), message));
    if ("forward" in step) deliver?.(message, extra);
    // When sending fails, the client is gone.
    else if ("answer" in step)
      answer(step.answer, Reflect.get(message, "id")).catch(() => undefined);
  }

  async function send(message: object, options?: unknown): Promise<void> {
    const text = JSON.stringify(message);
    const walked = await inspector.fromServer(messageOf(text, message));
    if (walked === undefined) return;
    await transport.send(walked === text ? message : JSON.parse(walked), options);
  }

  return new Proxy(transport, {
    get(target, key) {
      if (key === "send") return send;
      if (key === "onmessage") return deliver;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, key, value) {
      if (key === "onclose" && typeof value === "function") {
        const close: unknown = (...args: unknown[]) => {
          inspector.close();
          return Reflect.apply(value, target, args);
        };
        return Reflect.set(target, key, close, target);
      }
      if (key !== "onmessage") return Reflect.set(target, key, value, target);
      deliver = value;
      return Reflect.set(target, key, receive, target);
    },
  });
}
