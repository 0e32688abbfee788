import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createDrillInTools } from "../../../../src/adapters/langchain/drill-in-tools.js";
import { resolveSql, sqlMemoryMb } from "../../../../src/core/engines/sql/start.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../../src/core/store/naming.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { newDirectory } from "../../../after-file.js";

const opened = openedOffloaders();

/** The entry of a package of DuckDB that has been installed with this part for the system, or with none. */
function installed(native?: string): string {
  const folder = newDirectory();
  const put = (name: string, file: string): string => {
    const own = join(folder, "node_modules/@duckdb", name);
    mkdirSync(own, { recursive: true });
    writeFileSync(
      join(own, "package.json"),
      JSON.stringify({ name: `@duckdb/${name}`, main: file }),
    );
    writeFileSync(join(own, file), "throw new Error('loaded')");
    return join(own, file);
  };
  put("node-bindings", "duckdb.js");
  if (native !== undefined) put(native, "duckdb.node");
  return put("node-api", "index.js");
}

const own = `node-bindings-${process.platform}-${process.arch}`;
const node = { execPath: "/usr/bin/node", versions: { node: "24.0.0" } };
const toolsOf = (options: OffloadOptions): string[] => {
  const { offloader } = opened({ ...options, store: memoryStore() });
  return createDrillInTools(offloader).map(({ name }) => name);
};

describe("where SQL can run by itself", () => {
  it("is where the package has its part for this system, and nothing of it is loaded", () => {
    for (const native of [own, `${own}-musl`]) {
      const duckdb = installed(native);
      expect(sqlMemoryMb(node, () => duckdb)).toBe(512);
    }
    const duckdb = installed("node-bindings-some-system");
    expect(sqlMemoryMb(node, () => duckdb)).toBeUndefined();
    expect(sqlMemoryMb(node, () => undefined)).toBeUndefined();
  });

  it("is not in Electron, beside packages in archives, or where no process may be started", () => {
    const duckdb = installed(own);
    const here = (surroundings: object) => sqlMemoryMb({ ...node, ...surroundings }, () => duckdb);
    expect(here({ versions: { electron: "40.0.0" } })).toBeUndefined();
    expect(here({ versions: { pnp: "3" } })).toBeUndefined();
    expect(here({ permission: { has: () => false } })).toBeUndefined();
    expect(here({ permission: { has: () => true } })).toBe(512);
  });

  it("asks for a quarter of a container's memory, and is not where that is less than a gigabyte", () => {
    const duckdb = installed(own);
    const within = (bytes: number) =>
      sqlMemoryMb({ ...node, constrainedMemory: () => bytes }, () => duckdb);
    const gibibyte = 2 ** 30;
    expect(within(gibibyte - 1)).toBeUndefined();
    expect(within(gibibyte)).toBe(256);
    for (const enough of [2 * gibibyte, 64 * gibibyte, 2 ** 64, 0])
      expect(within(enough)).toBe(512);
  });
});

it("SQL that is asked for needs the package", () => {
  expect(resolveSql({ maxMemoryMb: 64 }, () => "index.js")).toEqual({ maxMemoryMb: 64 });
  expect(() => resolveSql({}, () => undefined)).toThrow(
    'SQL needs the package "@duckdb/node-api", which is not installed.',
  );
});

describe("an agent with DuckDB installed", () => {
  it("has SQL by itself, whatever other tools it has", () => {
    expect(toolsOf({})).toContain("sql_tool_output");
    expect(toolsOf({ drillIn: { sql: "auto", names: { sql: "ask" } } })).toContain("ask");
    expect(toolsOf({ drillIn: { names: { jq: false } } })).toContain("sql_tool_output");
    for (const drillIn of [{ sql: false }, { names: { sql: false } }, false])
      expect(toolsOf({ drillIn } as OffloadOptions).join()).not.toContain("sql");
  });

  it("answers a query, and after the end starts anew", async () => {
    const offloader = createOffloader({ store: memoryStore(), drillIn: { timeoutMs: 60_000 } });
    const rows = Array.from({ length: 300 }, (_, id) => ({ id, city: id % 2 ? "Oslo" : "Rome" }));
    const { storedArtifact } = await offloader.put(rows, { sessionId: "s" });
    const query = "SELECT city, count(*) AS n FROM output GROUP BY city ORDER BY city";
    for (let times = 0; times < 2; times += 1) {
      const { text } = await offloader.drillIn.run(
        "sql",
        { id: storedArtifact.id, query },
        { sessionKey: sessionKeyOf("s") },
      );
      expect(text).toContain("city | n\nOslo | 150\nRome | 150\n");
      await offloader.close();
    }
  });
});
