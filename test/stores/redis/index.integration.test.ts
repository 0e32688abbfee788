import { randomBytes } from "node:crypto";
import { createClient } from "redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RedisClient, redisStore } from "../../../src/stores/redis/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { REDIS_URL, redisAnswers } from "../../core/store/servers.js";

const available = await redisAnswers();
const client = createClient({ url: REDIS_URL });
const other = createClient({ url: REDIS_URL });
const now = (): number => CONTRACT_START_MS;

beforeAll(async () => {
  if (available) await Promise.all([client.connect(), other.connect()]);
});

afterAll(async () => {
  if (available) await Promise.all([client.close(), other.close()]);
});

function newPrefix(): string {
  return `test:${randomBytes(6).toString("hex")}`;
}

const keysOf = (prefix: string): Promise<string[]> => client.keys(`{${prefix}}*`);
const clear = async (prefix: string) => void (await client.del([...(await keysOf(prefix)), "-"]));

/** A client whose connection is lost after so many commands. */
function failingClient(commands: number): RedisClient {
  let left = commands;
  return {
    sendCommand: async (args, options) => {
      if ((left -= 1) < 0) throw new Error("connection lost");
      return client.sendCommand(args, options);
    },
  };
}

storeContract(
  "redis",
  async (clock) => {
    const prefix = newPrefix();
    const store = redisStore({ client, prefix, now: clock.now });
    return { store, cleanup: () => clear(prefix) };
  },
  { describe, it: it.skipIf(!available), expect },
);

describe.skipIf(!available)("redis store", () => {
  let prefix = "";
  beforeEach(() => {
    prefix = newPrefix();
  });
  afterEach(() => clear(prefix));

  it("lets another process read a range over its chunks of what one has stored", async () => {
    const body = patternBytes(3 * 1024 * 1024 + 5);
    const artifact = contractArtifact(body.length);
    const stored = await redisStore({ client, prefix, now }).put(artifact, [body]);
    const range = { start: 1_048_575, end: 2_097_153 };
    const read = await redisStore({ client: other, prefix, now }).read(stored, range);
    expect(Buffer.compare(read, body.slice(range.start, range.end))).toBe(0);
  });

  it("has an artifact complete or absent wherever the connection is lost, and sweeps the rest", async () => {
    const cases = [
      // The index, the empty body and three chunks come before the record.
      ...[0, 1, 2, 3, 4, 5, 6].map((commands) => [commands, 2 * 1024 * 1024 + 5, 6] as const),
      // The index, the empty body and one chunk.
      ...[0, 1, 2, 3, 4].map((commands) => [commands, 5, 4] as const),
    ];
    for (const [commands, sizeBytes, needed] of cases) {
      const body = patternBytes(sizeBytes);
      const artifact = contractArtifact(body.length);
      const failing = redisStore({ client: failingClient(commands), prefix, now });
      await failing.put(artifact, [body]).catch(() => undefined);
      const reader = redisStore({ client: other, prefix, now });
      const found = await reader.stat(artifact.id, artifact.sessionKey);
      expect(found !== undefined).toBe(commands >= needed);
      if (found !== undefined) expect(Buffer.compare(await reader.read(found), body)).toBe(0);
      await reader.sweep(artifact.expiresAt);
      expect(await keysOf(prefix)).toEqual([]);
    }
  });

  it("lets Redis itself remove record and body an hour after the expiry", async () => {
    const store = redisStore({ client, prefix, now });
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    const keys = (await keysOf(prefix)).filter((key) => /:(record|body):/.test(key));
    const times = await Promise.all(keys.map((key) => client.pExpireTime(key)));
    expect(times).toEqual([stored.expiresAt + 3_600_000, stored.expiresAt + 3_600_000]);
  });

  it("keeps what is prolonged while another process sweeps", async () => {
    const store = redisStore({ client, prefix, now });
    const stored = await store.put(contractArtifact(1), [Uint8Array.of(1)]);
    const { id, sessionKey, expiresAt } = stored;
    const slow: RedisClient = {
      sendCommand: async (args, options) => {
        const reply = await other.sendCommand(args, options);
        if (args[0] === "ZRANGEBYSCORE") await store.refresh?.(id, sessionKey, expiresAt + 1);
        return reply;
      },
    };
    expect(await redisStore({ client: slow, prefix, now }).sweep(expiresAt)).toEqual([]);
    expect(await store.read(stored)).toEqual(Uint8Array.of(1));
    expect(await store.sweep(expiresAt + 1)).toHaveLength(1);
    expect(await keysOf(prefix)).toEqual([]);
  });
});

it("a redis store waits for a client that never answers no longer than its bound", async () => {
  const silent: RedisClient = { sendCommand: () => new Promise(() => undefined) };
  const store = redisStore({ client: silent, timeoutMs: 20 });
  const { id, sessionKey } = contractArtifact(0);
  await expect(store.stat(id, sessionKey)).rejects.toThrow(/GET within 20 ms/);
});
