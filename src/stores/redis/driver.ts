import { randomBytes } from "node:crypto";
import { decodeRecord, decodeRecords } from "../../core/store/artifact-record.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import type { ErrorEmitter, DriverEntry, StoreDriver } from "../../core/store/store-driver.js";
import { withDeadline } from "../../util/abort.js";
import { forEachFixedChunk } from "../../core/store/body/chunks.js";

/** Bytes of a body that one command carries. */
const CHUNK_BYTES = 1024 * 1024;
const NONCE_CHARACTERS = 16;
/** Redis removes artifacts this long after their expiry when no sweep did; until then they are known as expired. */
const GRACE_MS = 3_600_000;
/** Members of an index asked for at once. */
const INDEX_PAGE = 500;
/** Artifacts that a sweep removes at once. */
const SWEEP_PAGE = 100;

interface Entry extends DriverEntry {
  readonly nonce: string;
}

/** Where the driver keeps things, and how much it takes. */
interface RedisPlace {
  readonly prefix: string;
  readonly maxBytes: number;
}

/** Artifacts as two keys each, a record and a body, and an index of each session and of all expiries. */
export function redisDriver(
  command: RedisCommand,
  { prefix, maxBytes }: RedisPlace,
): StoreDriver<Entry> {
  // The braces keep all keys on one node of a cluster.
  const root = `{${prefix}}`;
  const expiryKey = `${root}:expiry`;
  const sessionKey = (scope: string): string => `${root}:session:${scope}`;
  const recordKey = (id: string, scope: string): string => `${root}:record:${scope}:${id}`;
  const bodyKey = (id: string, scope: string, nonce: string): string =>
    `${root}:body:${scope}:${id}:${nonce}`;

  async function script(text: string, keys: string[], args: string[]): Promise<unknown> {
    return command(["EVAL", text, String(keys.length), ...keys, ...args]);
  }

  async function append(
    record: NewArtifact,
    key: string,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const chunks = { body, sizeBytes: record.sizeBytes, chunkBytes: CHUNK_BYTES };
    const until = removedAt(record.expiresAt);
    if (record.sizeBytes === 0) await command(["SET", key, "", "PXAT", until]);
    await forEachFixedChunk(chunks, async (chunk, index) => {
      const bytes = Buffer.from(chunk.buffer);
      if (index === 0) return void (await command(["SET", key, bytes, "NX", "PXAT", until]));
      // A body that was swept or dropped meanwhile begins again, without its beginning and without an end of its life.
      const [length] = await Promise.all([
        command(["APPEND", key, bytes]),
        command(["PEXPIREAT", key, until]),
      ]);
      if (length !== index * CHUNK_BYTES + chunk.length) throw dropped();
    });
  }

  async function load(scope: string, ids: readonly string[]): Promise<NewArtifact[]> {
    if (ids.length === 0) return [];
    const values = await command(["MGET", ...ids.map((id) => recordKey(id, scope))]);
    return decodeRecords(strings(values).map((value) => value.slice(NONCE_CHARACTERS)));
  }

  return {
    async write({ record, text }, body) {
      const { id, scope, sizeBytes } = record;
      if (sizeBytes > maxBytes) {
        throw new RangeError(`${sizeBytes} bytes are more than maxBytes, ${maxBytes}.`);
      }
      const nonce = randomBytes(NONCE_CHARACTERS / 2).toString("hex");
      const key = bodyKey(id, scope, nonce);
      const member = `${scope}:${id}:${nonce}`;
      const expiry = String(record.expiresAt);
      try {
        // Listed before anything is written, so that a sweep finds what a writer that ends here has left.
        await command(["ZADD", expiryKey, expiry, member]);
        await append(record, key, body);
        const keys = [recordKey(id, scope), sessionKey(scope), expiryKey];
        const value = `${nonce}${text}`;
        const created = await script(PUBLISH, keys, [
          value,
          id,
          removedAt(record.expiresAt),
          member,
        ]);
        if (created === -1) throw dropped();
        if (created !== 1) throw new Error(`The id ${id} is taken.`);
      } catch (error) {
        // Also undoes a publication of this writer whose answer was lost. Else Redis removes the body in its time.
        const keys = [recordKey(id, scope), sessionKey(scope), expiryKey, key];
        await script(SWEEP, keys, [id, member, nonce, expiry]).catch(() => undefined);
        throw error;
      }
    },
    find: async (id, scope) => entryOf(await command(["GET", recordKey(id, scope)])),
    async readBytes({ record: { id, scope }, nonce }, { start, end }) {
      const range = [String(start), String(end - 1)];
      const key = bodyKey(id, scope, nonce);
      const bytes = await command(["GETRANGE", key, ...range], { bytes: true });
      return bytes instanceof Uint8Array ? new Uint8Array(bytes) : undefined;
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const found: NewArtifact[] = [];
      let after = afterId;
      while (found.length < limit) {
        const from = after === "" ? "-" : `(${after}`;
        const page = ["LIMIT", "0", String(INDEX_PAGE)];
        const ids = strings(await command(["ZRANGEBYLEX", sessionKey(scope), from, "+", ...page]));
        const records = await load(scope, ids);
        found.push(...records.filter(({ expiresAt }) => expiresAt > nowMs));
        after = ids.at(-1) ?? "";
        if (ids.length < INDEX_PAGE) break;
      }
      return found.slice(0, limit);
    },
    async replace({ nonce, record: { id, scope } }, expiresAt, text) {
      const keys = [recordKey(id, scope), expiryKey, bodyKey(id, scope, nonce)];
      const member = `${scope}:${id}:${nonce}`;
      const args = [nonce, `${nonce}${text}`, member, String(expiresAt), removedAt(expiresAt)];
      return (await script(REPLACE, keys, args)) === 1;
    },
    async remove(id, scope) {
      const keys = [recordKey(id, scope), sessionKey(scope), expiryKey, bodyKey(id, scope, "")];
      return (await script(REMOVE, keys, [id, `${scope}:${id}:`])) === 1;
    },
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      for (;;) {
        const page = ["LIMIT", "0", String(SWEEP_PAGE)];
        const due = ["ZRANGEBYSCORE", expiryKey, "-inf", String(nowMs), ...page];
        const members = strings(await command(due));
        const values = members.map((member) => {
          const [scope = "", id = "", nonce = ""] = member.split(":");
          const body = bodyKey(id, scope, nonce);
          const keys = [recordKey(id, scope), sessionKey(scope), expiryKey, body];
          return script(SWEEP, keys, [id, member, nonce, String(nowMs)]);
        });
        for (const value of await Promise.all(values)) {
          const entry = entryOf(value);
          if (entry !== undefined) swept.push(entry.record);
        }
        if (members.length < SWEEP_PAGE) return swept;
      }
    },
    async nextExpiry() {
      const page = ["LIMIT", "0", "1"];
      const first = await command(["ZRANGEBYSCORE", expiryKey, "-inf", "+inf", ...page]);
      const [member] = strings(first);
      if (member === undefined) return Infinity;
      return Number((await command(["ZSCORE", expiryKey, member])) ?? Infinity);
    },
  };
}

function dropped(): Error {
  return new Error("The body was dropped while it was written.");
}

function entryOf(value: unknown): Entry | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.slice(NONCE_CHARACTERS);
  const record = decodeRecord(text);
  return record && { record, text, nonce: value.slice(0, NONCE_CHARACTERS) };
}

function strings(reply: unknown): string[] {
  if (!Array.isArray(reply)) return [];
  return reply.filter((item): item is string => typeof item === "string");
}

/** When Redis removes what expires at a time, as its commands take it. */
function removedAt(expiresAt: number): string {
  return String(Math.ceil(expiresAt) + GRACE_MS);
}

/**
 * Steps that Redis runs as one. A record's value is the writer's nonce, 16 characters, and then its
 * JSON; the nonce is the end of its body's key.
 */

/**
 * KEYS: record, session, expiry. ARGV: value, id, time of removal in Unix milliseconds, member of expiry. 1 when it was
 * created, 0 when the id is taken, -1 when a sweep has removed the member, and with it the body.
 */
const PUBLISH = `
if not redis.call('ZSCORE', KEYS[3], ARGV[4]) then return -1 end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return 1`;

/** KEYS: record, session, expiry, body's key without the nonce. ARGV: id, member of expiry without the nonce. */
const REMOVE = `
local value = redis.call('GET', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if not value then return 0 end
local nonce = string.sub(value, 1, 16)
redis.call('DEL', KEYS[1], KEYS[4] .. nonce)
redis.call('ZREM', KEYS[3], ARGV[2] .. nonce)
return 1`;

/**
 * KEYS: record, expiry, body. ARGV: nonce, value, member of expiry, expiry, time of removal, both in Unix
 * milliseconds. 1 when the record was there as that writer's, and expired earlier.
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
 * KEYS: record, session, expiry, body. ARGV: id, member of expiry, nonce, the latest expiry that goes. The record's value
 * when it was this writer's and this call removed it. What was prolonged since the caller looked stays. A body without its record goes in any case: its writer may have gone on
 * after a sweep had removed the member.
 */
const SWEEP = `
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

/** The part of a `redis` client that is used: one of `createClient` or `createClientPool` fits. */
export interface RedisClient extends ErrorEmitter {
  sendCommand(
    args: (string | Buffer)[],
    options: { typeMapping: { [BLOB_STRING]?: typeof Buffer } },
  ): Promise<unknown>;
}

/** Sends one command and waits for its reply a bounded time. */
type RedisCommand = (
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
