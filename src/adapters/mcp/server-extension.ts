import type { OffloadOptions } from "../../core/options/options.js";
import { offloaderFor } from "../../core/pipeline/create-offloader.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { fieldOf } from "../../util/field-of.js";
import { checkedOptions, objectOf } from "../../util/option-rules.js";
import { createInspector, type InspectorOptions, type Shown } from "./inspector.js";
import { messageOf } from "./message.js";
import { serverSchema } from "./options.js";
import { inProtocol, protocolOptions } from "./own-tools.js";
import { nothing } from "./transport/upstream.js";
import type { JsonObject } from "../../util/is-record.js";

/** Options of an MCP server's own offloading: every option of its offloader, and where the client is. */
export interface OffloadServerOptions extends OffloadOptions {
  /**
   * Whether the client reads this machine's files, also over HTTP. Without it results are offloaded only when the
   * transport shows that the client runs here: standard input and output, or the same process.
   * @defaultValue `false`
   */
  readonly sharedFilesystem?: boolean;
  /**
   * The session that owns stored outputs; drill-ins reach no other.
   * @defaultValue a random one for each connection
   */
  readonly sessionId?: string;
}

/** The part that servers of both SDKs have. */
export interface ConnectableServer {
  readonly connect: (...args: never[]) => Promise<void>;
}

interface ServerTransport {
  onmessage?: ((message: JsonObject, extra?: unknown) => void) | undefined;
  send(message: JsonObject, options?: unknown): Promise<void>;
}

/**
 * Adds offloading to a Model Context Protocol server that uses the official TypeScript SDK. Call it before
 * `server.connect(transport)`. Large tool results are stored on this machine, `tools/list` gets the tools that read
 * them, and handlers stay as they are. A client that declares itself an offloading proxy gets everything inline, even
 * when the SDK drops that field. Over HTTP nothing is offloaded unless `sharedFilesystem` is set.
 * @returns The offloader: its store, its totals, and `close()` for when the server ends.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadServer(
  server: ConnectableServer,
  options: OffloadServerOptions = {},
): Offloader {
  const factory = "offloadServer";
  const { sharedFilesystem, sessionId, ...offloadOptions } = checkedOptions<OffloadServerOptions>(
    factory,
    serverSchema,
    objectOf(factory, options),
  );
  const offloader = inProtocol(offloaderFor(factory, offloadOptions, protocolOptions));
  const { connect } = server;
  if (fieldOf(fieldOf(server, "server") ?? server, "transport") !== undefined)
    warn("offloadServer has no effect on a connected server: call it before server.connect().");
  Object.assign(server, {
    connect: (transport: ServerTransport, ...rest: unknown[]) => {
      const { name } = transport.constructor;
      // Bundlers change the names of classes.
      const offloads = sharedFilesystem || "_stdin" in transport || /Stdio|InMemory/.test(name);
      const isLookedAt = offloads || internals(offloader).host.clean !== undefined;
      const through = isLookedAt
        ? inspected(transport, { offloader, sessionId, offloads, role: "server", warn })
        : transport;
      return Reflect.apply(connect, server, [through, ...rest]);
    },
  });
  return offloader;
}

function warn(sentence: string): void {
  process.emitWarning(sentence, "OffloadWarning");
}

const NO_JSON = "The answer cannot be written as JSON, so it cannot be redacted";
const AS_IT_IS = { forward: "" };

/** `""` for what JSON cannot hold, such as big integers: in one process they pass without us. */
function spelled(message: JsonObject): string {
  try {
    return JSON.stringify(message);
  } catch {
    return "";
  }
}

function inspected(transport: ServerTransport, options: InspectorOptions): ServerTransport {
  const inspector = createInspector(options);
  const isCleaned = internals(options.offloader).host.clean !== undefined;
  let deliver = transport.onmessage;

  async function answer(answered: Shown, relatedRequestId: unknown) {
    const text = await answered;
    if (text !== undefined) await transport.send(JSON.parse(text), { relatedRequestId });
  }

  function receive(message: JsonObject, extra?: unknown) {
    const text = spelled(message);
    const step = text ? inspector.fromClient(messageOf(text, message)) : AS_IT_IS;
    if ("forward" in step) deliver?.(message, extra);
    else answer(step.answer, message["id"]).catch(nothing);
  }

  async function send(message: JsonObject, options?: unknown) {
    const text = spelled(message);
    const known = messageOf(text, message);
    const changed = await (text ? inspector.fromServer(known) : inspector.fail(known.key, NO_JSON));
    const passes = text ? changed === text : !isCleaned;
    if (passes) await transport.send(message, options);
    else if (changed !== undefined) await transport.send(JSON.parse(changed), options);
  }

  return new Proxy(transport, {
    get(target, key) {
      if (key === "send") return send;
      if (key === "onmessage") return deliver;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set(target, key, value) {
      if (key !== "onmessage") return Reflect.set(target, key, value, target);
      deliver = value;
      return Reflect.set(target, key, receive, target);
    },
  });
}
