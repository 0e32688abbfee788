import { createHash, randomBytes } from "node:crypto";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, describe, expect, it } from "vitest";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import { redisStore } from "../../../src/stores/redis/index.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "./servers.js";
import { temporaryDirectories } from "./temporary-directory.js";

const postgres = await postgresAnswers();
const redis = await redisAnswers();
const table = `offload_test_${randomBytes(6).toString("hex")}`;
const prefix = `test:${randomBytes(6).toString("hex")}`;
const makeDirectory = temporaryDirectories();
const endings: (() => Promise<unknown>)[] = [];
const base = new InMemoryStore();

afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

async function connectedRedis(): Promise<ArtifactStore> {
  const client = await createClient({ url: REDIS_URL }).connect();
  endings.push(() => client.close());
  endings.push(async () => client.del(await client.keys(`{${prefix}}*`).then((k) => [...k, "-"])));
  return redisStore({ client, prefix });
}

async function connectedPostgres(): Promise<ArtifactStore> {
  const pool = new pg.Pool({ connectionString: PG_URL, max: 2 });
  endings.push(() => pool.end());
  endings.push(() => pool.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`));
  return postgresStore({ pool, table });
}

const stores: readonly (readonly [string, boolean, () => Promise<ArtifactStore>])[] = [
  ["langgraph", true, async () => langgraphStore(base)],
  ["postgres", postgres, connectedPostgres],
  ["redis", redis, connectedRedis],
];

describe("a store that is shared", () => {
  for (const [name, available, connect] of stores) {
    it.skipIf(!available)(`${name}: answers a drill-in of another offloader`, async () => {
      const first = createOffloader({ store: await connect() });
      const rows = Array.from({ length: 3000 }, (_, index) => ({
        id: index,
        name: `row ${index}`,
      }));
      const result = await first.offload({
        toolName: "query",
        value: JSON.stringify(rows),
        sessionId: "thread",
      });
      await first.close();
      if (result.outcome !== "offloaded") throw new Error(result.outcome);
      expect(result.storedArtifact.filePath).toBeUndefined();
      expect(JSON.parse(result.text)["file_path"]).toBe(result.storedArtifact.id);
      expect(result.text).not.toMatch(/"jq -|\btail -n/);
      expect(result.text).not.toContain("shell");
      const second = createOffloader({ store: await connect() });
      const { id, sessionKey } = result.storedArtifact;
      const answer = await second.drillIn.run(
        "read",
        { file_path: id, start_line: 1, end_line: 3 },
        { sessionKey },
      );
      expect(answer.text).toContain("row 1");
      const body = await second.store.read(result.storedArtifact);
      const records = body.subarray(result.storedArtifact.headerBytes);
      expect(result.storedArtifact.bodySha256).toBe(
        createHash("sha256").update(records).digest("hex"),
      );
      await second.close();
    });
  }
});

it("keeps no hash of a body that stays on this machine", async () => {
  for (const store of [memoryStore(), fileStore({ directory: await makeDirectory() })]) {
    const offloader = createOffloader({ store });
    const value = "a line of a log\n".repeat(3000);
    const result = await offloader.offload({ toolName: "log", value, sessionId: "thread" });
    if (result.outcome !== "offloaded") throw new Error(result.outcome);
    expect(result.storedArtifact.bodySha256).toBeUndefined();
    await offloader.close();
  }
});
