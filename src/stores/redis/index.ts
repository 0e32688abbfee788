import {
  callback,
  checkedOptions,
  deadlineMs,
  having,
  optionsOf,
  rule,
  wholeNumber,
} from "../../util/option-rules.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { type ErrorEmitter, hearErrors, remoteStore } from "../../core/store/store-driver.js";
import { redisDriver } from "./driver.js";
import { withDeadline } from "../../util/abort.js";

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /**
   * A connected client of `redis`; it stays yours to close. The store listens to its `error`: a connection that the
   * server ends is made anew by the client.
   */
  readonly client: RedisClient;
  /**
   * First part of every key: 1 to 64 letters, digits, `_`, `-`, `.` and `:`.
   *
   * @defaultValue `"offload"`
   */
  readonly prefix?: string;
  /**
   * Largest body, in bytes; a larger one is refused. At most 536,870,912, which is Redis's own limit.
   *
   * @defaultValue 67,108,864 (64 MiB)
   */
  readonly maxBytes?: number;
  /**
   * Longest wait for the reply to one command, in milliseconds.
   *
   * @defaultValue 10,000
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

const PREFIX_PATTERN = /^[\w.:-]{1,64}$/;
const REDIS_MAX_BYTES = 512 * 1024 * 1024;
const schema = optionsOf({
  client: having(["sendCommand"], "a connected client of `redis`"),
  prefix: rule(
    (value) => typeof value === "string" && PREFIX_PATTERN.test(value),
    "1 to 64 letters, digits, _, -, . and :",
  ).optional(),
  maxBytes: wholeNumber(1, REDIS_MAX_BYTES).optional(),
  timeoutMs: deadlineMs.optional(),
  now: callback.optional(),
});

/**
 * Keeps artifacts in Redis, from version 6.2 on, as one string each that ranges are read from. Redis
 * removes them an hour after their expiry when no sweep has. Needs the package `redis` and, on the
 * server, `EVAL`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function redisStore(options: RedisStoreOptions): ArtifactStore {
  const checked = checkedOptions<RedisStoreOptions>("redisStore", schema, options);
  const { prefix = "offload", maxBytes = 64 * 1024 * 1024, timeoutMs = 10_000 } = checked;
  hearErrors(checked.client);
  const command = boundedCommands(checked.client, timeoutMs);
  return remoteStore("redis", redisDriver(command, { prefix, maxBytes }), checked.now ?? Date.now);
}

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
function boundedCommands(client: RedisClient, timeoutMs: number): RedisCommand {
  return async (args, { bytes = false } = {}) => {
    const late = `Redis has not answered ${String(args[0])} within ${timeoutMs} ms.`;
    // Said of every command: a client may have types of its own, such as bytes for every string.
    const typeMapping = bytes ? { [BLOB_STRING]: Buffer } : {};
    return withDeadline({ timeoutMs, late }, () => client.sendCommand([...args], { typeMapping }));
  };
}
