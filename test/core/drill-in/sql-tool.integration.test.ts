import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { OffloadEvent } from "../../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../../src/core/pipeline/create-offloader.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import { fileStore } from "../../../src/core/store/file/index.js";

const sql = {};
const folder = mkdtempSync(join(tmpdir(), "sql-tool-"));
const SESSION = "s";
const SESSION_KEY = sessionKeyOf(SESSION);
const CITIES = ["Rome", "Oslo", "Lima"];
const RECORDS = Array.from({ length: 900 }, (_, n) => ({
  id: n,
  city: CITIES[n % 3],
  "unit price": n / 4,
  tags: ["a", `t${n % 5}`],
  place: { lat: n, lon: -n },
}));

const events: OffloadEvent[] = [];
let offloader: Offloader;
let artifact: StoredArtifact;

function offloaded(result: OffloadResult): Extract<OffloadResult, { outcome: "offloaded" }> {
  if (result.outcome !== "offloaded") throw new Error(`the output is ${result.outcome}`);
  return result;
}

async function ask(query: unknown, id = artifact.id): Promise<{ text: string; failed: boolean }> {
  const { text, failed } = await offloader.drillIn.run(
    "sql",
    { id, query },
    { sessionKey: SESSION_KEY },
  );
  return { text, failed };
}

beforeAll(async () => {
  offloader = createOffloader({
    store: fileStore({ directory: folder }),
    drillIn: { sql, maxAnswerTokens: 300, timeoutMs: 25_000 },
    onEvent: (event) => events.push(event),
  });
  const result = await offloader.offload({
    toolName: "cities",
    value: RECORDS,
    sessionId: SESSION,
  });
  ({ storedArtifact: artifact } = offloaded(result));
});
afterAll(async () => {
  await offloader.close();
  rmSync(folder, { recursive: true });
});

describe("sql_tool_output", () => {
  it("answers with a table and its number of rows", async () => {
    const query =
      'SELECT city, count(*) AS n, sum("unit price") AS total FROM output GROUP BY city ORDER BY city;';
    expect(await ask(query)).toEqual({
      failed: false,
      text: `city | n | total\nLima | 300 | 33787.5\nOslo | 300 | 33712.5\nRome | 300 | 33637.5\n3 rows.`,
    });
  });

  it("is cut at the limit, and the next calls give all the rest in order", async () => {
    let args: unknown = {
      id: artifact.id,
      query: "SELECT id, city FROM output ORDER BY id DESC -- all",
    };
    const seen: string[] = [];
    while (args !== undefined) {
      const { text, tokens, failed } = await offloader.drillIn.run("sql", args, {
        sessionKey: SESSION_KEY,
      });
      expect({ failed, isBounded: tokens <= 300 }).toEqual({ failed: false, isBounded: true });
      const lines = text.split("\n");
      seen.push(...lines.slice(1).filter((line) => / \| /.test(line)));
      const last = lines.at(-1) ?? "";
      const next = /Next call: sql_tool_output (\{.*\})$/.exec(last)?.[1];
      args = next === undefined ? undefined : JSON.parse(next);
    }
    expect(seen).toEqual(RECORDS.toReversed().map(({ id, city }) => `${id} | ${city}`));
  });
});
