import type { PGlite } from "@electric-sql/pglite";
import type { PostgresPool } from "../../src/store/postgres/index.js";

/** The one connection of an embedded PostgreSQL as a pool: who connects waits for its turn. */
export function pglitePool(database: PGlite): PostgresPool {
  let last = Promise.resolve();
  return {
    connect: async () => {
      const turn = last;
      let leave: () => void = () => undefined;
      last = new Promise((resolve) => {
        leave = resolve;
      });
      await turn;
      return {
        query: async ({ text, values = [] }) => {
          const { rows, affectedRows } = await database.query<Record<string, unknown>>(
            text,
            values,
          );
          return { rows, rowCount: affectedRows ?? null };
        },
        on: () => undefined,
        removeListener: () => undefined,
        release: (destroy) => {
          // A connection that is closed rolls back what is open on it.
          if (destroy === true) void database.exec("ROLLBACK").finally(leave);
          else leave();
        },
      };
    },
  };
}
