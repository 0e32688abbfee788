import pg from "pg";
import { createClient } from "redis";

import { createOffloader, modelTools } from "../../src/core.js";
import type { ArtifactStore } from "../../src/store/artifact-store.js";
import { postgresStore } from "../../src/store/postgres/index.js";
import { redisStore } from "../../src/store/redis/index.js";
import { PG_URL, REDIS_URL } from "../store/servers.js";

/** A store that processes share, under a name of their own. */
export interface SharedPlace {
  readonly kind: "PostgreSQL" | "Redis";
  readonly name: string;
}

/** The store, and what ends its connection. */
export async function openPlace({
  kind,
  name,
}: SharedPlace): Promise<{ store: ArtifactStore; end: () => Promise<unknown> }> {
  if (kind === "PostgreSQL") {
    const pool = new pg.Pool({ connectionString: PG_URL, max: 2 });
    return { store: postgresStore({ pool, table: name }), end: () => pool.end() };
  }
  const client = await createClient({ url: REDIS_URL }).connect();
  return { store: redisStore({ client, prefix: `${name}:` }), end: () => client.close() };
}

/** Removes what is left of the place; of Redis its end of session has. */
export async function removePlace({ kind, name }: SharedPlace): Promise<void> {
  if (kind === "Redis") return;
  const pool = new pg.Pool({ connectionString: PG_URL, max: 1 });
  await pool.query(`DROP TABLE IF EXISTS ${name}_chunk, ${name}`);
  await pool.end();
}

/** What a session that passes a token is answered, by an offloader that knows the secret. */
export async function readIn(
  place: SharedPlace,
  asked: {
    readonly secret: string;
    readonly sessionId: string;
    readonly token: string;
    readonly id: string;
  },
): Promise<{ text: string; failed: boolean }> {
  const { store, end } = await openPlace(place);
  const { secret, sessionId, token, id } = asked;
  const offloader = createOffloader({ store, grants: { keys: [{ id: "k1", secret }] } });
  const tools = modelTools(offloader, { sessionId, grants: [token] });
  const jq = tools.find(({ name }) => name === "jq_tool_output");
  const answer = await jq?.run({ id, filter: "length", slurp: true });
  await offloader.close();
  await end();
  return answer ?? { text: "", failed: true };
}
