/** A store of one's own: outputs in a SQLite file that agents on one machine share. */
import Database from "libsql";
import {
  type ArtifactStore,
  type NewArtifact,
  OffloadError,
  type StoredArtifact,
} from "langchain-offload";

const TABLE = `CREATE TABLE IF NOT EXISTS output (
  id TEXT PRIMARY KEY, session_key TEXT NOT NULL, expires_at INTEGER NOT NULL, artifact TEXT NOT NULL, body BLOB NOT NULL
) STRICT`;
/** The largest value that SQLite's `substr` takes, and more than it stores in a row. */
const MAX_BYTES = 2_147_483_647;
const ALIVE = "session_key = ? AND expires_at > ?";

interface Row {
  readonly artifact: string;
  readonly expires_at: number;
}

/** Every query names the session_key, so that no session reaches another's outputs; expiry is asked of our clock. */
export function sqliteStore(file: string, now: () => number = Date.now): ArtifactStore {
  const database = new Database(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000");
  database.exec(TABLE);

  const artifactOf = (row: unknown): StoredArtifact => {
    const { artifact, expires_at } = row as Row;
    return { ...(JSON.parse(artifact) as StoredArtifact), expiresAt: expires_at };
  };
  const find = (id: string, sessionKey: string): StoredArtifact | undefined => {
    const row = database
      .prepare(`SELECT * FROM output WHERE id = ? AND ${ALIVE}`)
      .get(id, sessionKey, now());
    return row === undefined ? undefined : artifactOf(row);
  };

  return {
    name: "sqlite",
    bodies: "remote",
    async put(artifact: NewArtifact, body) {
      const { id, sessionKey, expiresAt, fileName } = artifact;
      try {
        if (
          !/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id) ||
          !/^\w[\w.-]*$/.test(fileName) ||
          !fileName.includes(id)
        )
          throw new Error("the id or the file name is malformed");
        const chunks: Uint8Array[] = [];
        let length = 0;
        for await (const chunk of body) {
          length += chunk.length;
          if (length > artifact.sizeBytes) break;
          chunks.push(chunk.slice());
        }
        if (length !== artifact.sizeBytes)
          throw new Error(`the body has ${length} bytes, not ${artifact.sizeBytes}`);
        const text = JSON.stringify(artifact);
        // One statement: the row is there whole or not at all, and an id is taken once.
        database
          .prepare("INSERT INTO output VALUES (?, ?, ?, ?, ?)")
          .run(id, sessionKey, expiresAt, text, Buffer.concat(chunks));
        return JSON.parse(text) as StoredArtifact;
      } catch (error) {
        throw new OffloadError("STORE_WRITE_FAILED", `Storing in SQLite failed: ${String(error)}`, {
          cause: error,
        });
      }
    },
    stat: async (id, sessionKey) => find(id, sessionKey),
    async statExpired(id, sessionKey) {
      const row = database
        .prepare("SELECT * FROM output WHERE id = ? AND session_key = ? AND expires_at <= ?")
        .get(id, sessionKey, now());
      return row === undefined ? undefined : artifactOf(row);
    },
    async read({ id, sessionKey, expiresAt }, range) {
      const start = Math.min(range?.start ?? 0, MAX_BYTES - 1);
      const end = Math.min(range?.end ?? MAX_BYTES, MAX_BYTES);
      const row = database
        .prepare(`SELECT substr(body, ?, ?) AS part FROM output WHERE id = ? AND ${ALIVE}`)
        .get(start + 1, Math.max(0, end - start), id, sessionKey, now());
      if (row === undefined) {
        // Another caller may have prolonged it: what is stored says whether it is over.
        if (expiresAt <= now()) throw new OffloadError("ARTIFACT_EXPIRED", `${id} has expired.`);
        throw new OffloadError("ARTIFACT_NOT_FOUND", `${id} is not here.`);
      }
      return new Uint8Array((row as { part: Buffer }).part);
    },
    async list(sessionKey, { cursor = "", pageSize = 1000 } = {}) {
      if (!Number.isInteger(pageSize) || pageSize < 1)
        throw new OffloadError(
          "INVALID_ARGUMENTS",
          `pageSize is ${pageSize}; it must be 1 or more.`,
        );
      const rows = database
        .prepare(`SELECT * FROM output WHERE id > ? AND ${ALIVE} ORDER BY id LIMIT ?`)
        .all(cursor, sessionKey, now(), pageSize + 1);
      const artifacts = rows.slice(0, pageSize).map((row) => artifactOf(row));
      return { artifacts, cursor: rows.length > pageSize ? artifacts.at(-1)?.id : undefined };
    },
    async refresh(id, sessionKey, expiresAt) {
      const { changes } = database
        .prepare(`UPDATE output SET expires_at = ? WHERE id = ? AND ${ALIVE} AND expires_at < ?`)
        .run(expiresAt, id, sessionKey, now(), expiresAt);
      return changes > 0;
    },
    async delete(id, sessionKey) {
      const { changes } = database
        .prepare("DELETE FROM output WHERE id = ? AND session_key = ?")
        .run(id, sessionKey);
      return changes > 0;
    },
    async sweep(nowMs) {
      return database
        .prepare("DELETE FROM output WHERE expires_at <= ? RETURNING artifact, expires_at")
        .all(nowMs)
        .map((row) => artifactOf(row));
    },
  };
}
