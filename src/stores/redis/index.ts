import { checkedOptions, having, optionsOf, rule, wholeNumber } from "../../util/option-rules.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { driverStore } from "../../core/store/store-driver.js";
import { hearErrors, sharedOptions } from "../remote.js";
import { boundedCommands, type RedisClient, redisDriver } from "./driver.js";

export type { RedisClient } from "./driver.js";

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
  ...sharedOptions,
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
  return driverStore("redis", redisDriver(command, { prefix, maxBytes }), {
    now: checked.now ?? Date.now,
  });
}
