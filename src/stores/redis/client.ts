import { withDeadline } from "../../util/abort.js";
import type { ErrorEmitter } from "../../core/store/hear-errors.js";

/** The part of a `redis` client that is used: one of `createClient` or `createClientPool` fits. */
export interface RedisClient extends ErrorEmitter {
  sendCommand(
    args: (string | Buffer)[],
    options: { typeMapping: { [BLOB_STRING]?: typeof Buffer } },
  ): Promise<unknown>;
}

/** Sends one command and waits for its reply a bounded time. */
export type RedisCommand = (
  args: readonly (string | Buffer)[],
  options?: { readonly bytes?: boolean },
) => Promise<unknown>;

/** The protocol's sign of a string reply, `$`, by which `redis` maps types. */
const BLOB_STRING = 36;

/**
 * Bounds the time of each command: a client without a connection keeps commands until it has one again,
 * which may be never.
 *
 * @throws Error of the client, or one that says that the time is over.
 */
export function boundedCommands(client: RedisClient, timeoutMs: number): RedisCommand {
  return async (args, { bytes = false } = {}) => {
    const late = `Redis has not answered ${String(args[0])} within ${timeoutMs} ms.`;
    // Said of every command: a client may have types of its own, such as bytes for every string.
    const typeMapping = bytes ? { [BLOB_STRING]: Buffer } : {};
    return withDeadline({ timeoutMs, late }, () => client.sendCommand([...args], { typeMapping }));
  };
}
