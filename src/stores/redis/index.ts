import { randomBytes } from "node:crypto";
import {
  type ArtifactRecord,
  decodeRecord,
  decodeRecords,
} from "../../core/store/artifact-record.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { piecesOf } from "../../core/store/chunks.js";
import { driverStore, takenError } from "../../core/store/store-driver.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { isString, listOf } from "../../util/as-kind.js";
import { checkedOptions, having, optionsOf } from "../../util/option-rules.js";
import { textRule } from "../../util/text-rule.js";
import { asBuffer } from "../../util/text-encoding.js";
import {
  boundedBy,
  type ErrorEmitter,
  hearErrors,
  sharedOptions,
  type SharedStoreOptions,
} from "../remote.js";

/** The part of a `redis` client that is used: one of `createClient` or `createClientPool` fits. */
export interface RedisClient extends ErrorEmitter {
  sendCommand(
    args: (string | Buffer)[],
    options: { typeMapping: { [BLOB_STRING]?: typeof Buffer } },
  ): Promise<unknown>;
}

/** Options of {@link redisStore}. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /**
   * A connected `redis` client, which you must close. The store listens to its `error`. The client
   * reconnects when the server ends a connection.
   */
  readonly client: RedisClient;
  /**
   * First part of every key: 1 to 64 letters, digits, `_`, `-`, `.` and `:`.
   * @defaultValue `"offload"`
   */
  readonly prefix?: string;
}

const schema = optionsOf({
  client: having(["sendCommand"], "a connected client of `redis`"),
  prefix: textRule(/^[\w.:-]{1,64}$/, "1 to 64 letters, digits, _, -, . and :").optional(),
  ...sharedOptions,
});

/**
 * Keeps artifacts in Redis 6.2 or later, each as one string of at most 512 MiB. Redis removes them an hour after
 * their expiry if no sweep has. Needs the package `redis` and, on the server, `EVAL`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function redisStore(options: RedisStoreOptions): ArtifactStore {
  const checked = checkedOptions<RedisStoreOptions>("redisStore", schema, options);
  const { prefix = "offload", timeoutMs = 10_000 } = checked;
  hearErrors(checked.client);
  const command = boundedCommands(checked.client, timeoutMs);
  // The braces keep all keys on one node of a cluster.
  const root = `{${prefix}}`;
  const expiryKey = `${root}:expiry`;
  const sessionIndexKey = (sessionKey: string) => `${root}:session:${sessionKey}`;
  const recordKey = (sessionKey: string, id: string) => `${root}:record:${sessionKey}:${id}`;
  const memberOf = ({ record: { sessionKey, id }, nonce }: Entry) => `${sessionKey}:${id}:${nonce}`;
  const bodyKey = (member: string) => `${root}:body:${member}`;

  async function script(text: string, keys: string[], args: string[]): Promise<unknown> {
    return command(["EVAL", text, String(keys.length), ...keys, ...args]);
  }

  async function find(id: string, sessionKey: string): Promise<Entry | undefined> {
    return entryOf(await command(["GET", recordKey(sessionKey, id)]));
  }

  async function drop(member: string, latest: number): Promise<Entry | undefined> {
    const [sessionKey = "", id = "", nonce = ""] = member.split(":");
    const ofSession = [recordKey(sessionKey, id), sessionIndexKey(sessionKey)];
    const keys = [...ofSession, expiryKey, bodyKey(member)];
    return entryOf(await script(DROP, keys, [id, member, nonce, String(latest)]));
  }

  return driverStore<Entry>(
    "redis",
    {
      find,
      async write({ record, text }, body) {
        const { id, sessionKey, sizeBytes, expiresAt } = record;
        const nonce = randomBytes(NONCE_CHARACTERS / 2).toString("hex");
        const member = memberOf({ record, text, nonce });
        const key = bodyKey(member);
        try {
          // Listed before anything is written, so that a sweep finds the leftovers of an interrupted writer.
          await command(["ZADD", expiryKey, String(expiresAt), member]);
          await command(["SET", key, "", "PXAT", removedAt(expiresAt)]);
          let written = 0;
          for await (const piece of piecesOf(body, sizeBytes, CHUNK_BYTES)) {
            written += piece.length;
            const length = await command(["APPEND", key, asBuffer(piece)]);
            // After a sweep, APPEND would start a new string without its beginning.
            if (length !== written) throw dropped();
          }
          const keys = [recordKey(sessionKey, id), sessionIndexKey(sessionKey), expiryKey];
          const args = [`${nonce}${text}`, id, removedAt(expiresAt), member];
          const created = await script(PUBLISH, keys, args);
          if (created === -1) throw dropped();
          if (created !== 1) throw takenError(id);
        } catch (error) {
          // Also undoes this writer's publication whose answer was lost. Otherwise Redis removes the body in time.
          await drop(member, expiresAt).catch(() => undefined);
          throw error;
        }
      },
      async readBytes(entry, { start, end }) {
        const range = [String(start), String(end - 1)];
        const bytes = await command(["GETRANGE", bodyKey(memberOf(entry)), ...range], true);
        return bytes instanceof Uint8Array ? new Uint8Array(bytes) : undefined;
      },
      async page(sessionKey, after, limit) {
        const from = after === "" ? "-" : `(${after}`;
        const page = ["LIMIT", "0", String(limit)];
        const ids = strings(
          await command(["ZRANGEBYLEX", sessionIndexKey(sessionKey), from, "+", ...page]),
        );
        if (ids.length === 0) return { records: [], next: undefined };
        const values = await command(["MGET", ...ids.map((id) => recordKey(sessionKey, id))]);
        const texts = strings(values).map((value) => value.slice(NONCE_CHARACTERS));
        return { records: await decodeRecords(texts), next: ids.at(-1) };
      },
      async replace(entry, expiresAt, text) {
        const { nonce, record } = entry;
        const member = memberOf(entry);
        const keys = [recordKey(record.sessionKey, record.id), expiryKey, bodyKey(member)];
        const args = [nonce, `${nonce}${text}`, member, String(expiresAt), removedAt(expiresAt)];
        return (await script(REPLACE, keys, args)) === 1;
      },
      async remove(id, sessionKey) {
        const entry = await find(id, sessionKey);
        return entry !== undefined && (await drop(memberOf(entry), MAX_SCORE)) !== undefined;
      },
      async sweep(nowMs) {
        const swept: StoredArtifact[] = [];
        for (;;) {
          const page = ["-inf", String(nowMs), "LIMIT", "0", String(SWEEP_PAGE)];
          const members = strings(await command(["ZRANGEBYSCORE", expiryKey, ...page]));
          const entries = await Promise.all(members.map((member) => drop(member, nowMs)));
          swept.push(...entries.flatMap((entry) => entry?.record ?? []));
          if (members.length < SWEEP_PAGE) return swept;
        }
      },
    },
    checked.now,
  );
}

type RedisCommand = (args: (string | Buffer)[], asBytes?: boolean) => Promise<unknown>;

const BLOB_STRING = 36;

/** A disconnected client queues commands, perhaps forever, so each has a time limit. */
function boundedCommands(client: RedisClient, timeoutMs: number): RedisCommand {
  const bounded = boundedBy("Redis", timeoutMs);
  return (args, asBytes = false) => {
    // Set on every command, because the client may have its own mapping, such as bytes for every string.
    const typeMapping = asBytes ? { [BLOB_STRING]: Buffer } : {};
    return bounded(String(args[0]), () => client.sendCommand(args, { typeMapping }));
  };
}

const CHUNK_BYTES = 1024 * 1024;
const NONCE_CHARACTERS = 16;
const GRACE_MS = 3_600_000;
const SWEEP_PAGE = 100;
const MAX_SCORE = Number.MAX_SAFE_INTEGER;

interface Entry extends ArtifactRecord {
  readonly nonce: string;
}

function dropped(): Error {
  return new Error("The body was dropped while it was written.");
}

function entryOf(value: unknown): Entry | undefined {
  if (typeof value !== "string") return undefined;
  const entry = decodeRecord(value.slice(NONCE_CHARACTERS));
  return entry && { ...entry, nonce: value.slice(0, NONCE_CHARACTERS) };
}

function strings(reply: unknown): string[] {
  return listOf(reply).filter(isString);
}

function removedAt(expiresAt: number): string {
  return String(Math.ceil(expiresAt) + GRACE_MS);
}

/**
 * Scripts run atomically. A record's value is the writer's nonce, 16 characters, and then its JSON;
 * the nonce is the end of its body's key.
 */

/**
 * KEYS: record, session, expiry. ARGV: value, id, time of removal in Unix milliseconds, member of expiry. Returns 1
 * when created, 0 when the id is taken, -1 when a sweep has removed the member, and with it the body.
 */
const PUBLISH = `
if not redis.call('ZSCORE', KEYS[3], ARGV[4]) then return -1 end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return 1`;

/**
 * KEYS: record, expiry, body. ARGV: nonce, value, member of expiry, expiry, time of removal, both
 * in Unix milliseconds. Returns 1 when that writer's record existed with an earlier expiry.
 */
const REPLACE = `
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 16) ~= ARGV[1] then return 0 end
local known = redis.call('ZSCORE', KEYS[2], ARGV[3])
if known and tonumber(known) >= tonumber(ARGV[4]) then return 0 end
if redis.call('PEXPIREAT', KEYS[3], ARGV[5]) == 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
return 1`;

/**
 * KEYS: record, session, expiry, body. ARGV: id, member of expiry, nonce, latest expiry to remove. Returns the record's
 * value if it was this writer's and this call removed it. An extended record stays. A body without its record is always
 * removed: its writer may have gone on after a sweep had removed the member.
 */
const DROP = `
local value = redis.call('GET', KEYS[1])
local isOwn = value and string.sub(value, 1, 16) == ARGV[3]
local expiry = redis.call('ZSCORE', KEYS[3], ARGV[2])
if expiry and tonumber(expiry) > tonumber(ARGV[4]) then return false end
if redis.call('ZREM', KEYS[3], ARGV[2]) == 0 and isOwn then return false end
redis.call('DEL', KEYS[4])
if value and not isOwn then return false end
redis.call('ZREM', KEYS[2], ARGV[1])
if not value then return false end
redis.call('DEL', KEYS[1])
return value`;
