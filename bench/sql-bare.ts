import { DuckDBInstance } from "@duckdb/node-api";

import type { DataFile } from "./side-by-side.js";

/** DuckDB by itself, with one thread like ours, over the records in their file. */
export async function bareDuckDb({ path }: DataFile): Promise<(query: string) => Promise<void>> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(
    `CREATE VIEW output AS SELECT * FROM read_json('${path}', format = 'newline_delimited')`,
  );
  return async (query) => {
    const rows = await connection.runAndReadAll(query);
    if (rows.currentRowCount === 0) throw new Error("no rows");
  };
}
