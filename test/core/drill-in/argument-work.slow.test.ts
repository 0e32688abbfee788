import { afterAll, beforeAll, expect, it } from "vitest";

import type { SqlEngine } from "../../../src/core/engines/sql/request.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { startWorkCounter, type WorkCounter } from "./count-work.js";
import {
  addRecords,
  CALL,
  createTestStore,
  drillInOver,
  UNHURRIED,
  WITH_SQL,
} from "./stored-outputs.js";

/** Blocks of code and characters for each character that is sent. */
const MAX_WORK_PER_CHARACTER = 60;
/** What a call costs whatever it is sent. */
const MAX_FIXED_WORK = 1_000_000;

const LENGTHS = [1_000, 100_000, 1_000_000];
/** What a text is made of. */
const PIECES = 'a~ ~\\~"~(~.a ~a:~"\\~inputs ~;~{~\n~#~$a|~🂡'.split("~");
/** Arguments that are read as text of a language. */
const LANGUAGES = ["pattern", "filter", "query"];

/** Answers with every message that DuckDB makes of a query. */
const echo: SqlEngine = {
  async run({ query }) {
    const error = `Parser Error: at or near "${query}" Table with name ${query} does not exist, Referenced column "${query}" not found`;
    const result = { head: "", rows: [], rowCount: 0, uncounted: false, tables: [] };
    return { ...result, error, timedOut: false, outOfMemory: false };
  },
  warm: () => {},
  close: async () => {},
};

const store = createTestStore();
const drillIn = drillInOver(store, UNHURRIED, { ...WITH_SQL, engines: { sql: echo } });
let artifact: StoredArtifact;
let counter: WorkCounter;

beforeAll(async () => {
  counter = await startWorkCounter();
  const names = Array.from({ length: 300 }, (_, n) => `a_field_with_a_rather_long_name_${n}`);
  const record = Object.fromEntries(names.map((name, n) => [name, n]));
  artifact = addRecords(store, [record, record, record]);
  // What is loaded once is no work of a call.
  for (const tool of ["read", "grep", "jq"] as const) await workOf(tool, "id", artifact.id);
});

afterAll(async () => {
  await counter.stop();
  await drillIn.close();
});

type Tool = "read" | "grep" | "jq" | "sql" | "extract";

const ARGUMENTS: readonly (readonly [Tool, string])[] = [
  ...["id", "start_line", "start_character", "end_line"].map((name) => ["read", name] as const),
  ...["id", "pattern", "ignore_case", "max_results"].map((name) => ["grep", name] as const),
  ...["id", "filter", "raw", "args", "limit", "with"].map((name) => ["jq", name] as const),
  ...["id", "query", "with"].map((name) => ["sql", name] as const),
  ...["file_path", "query", "recipe", "params"].map((name) => ["extract", name] as const),
];

function valuesOf(name: string, text: string): unknown[] {
  if (name !== "args" && name !== "params" && name !== "with") return [text];
  return [`{"a":"${text}"}`, { a: text }, { [text]: artifact.id }, { a: Array.from(text) }];
}

async function workOf(tool: Tool, name: string, value: unknown): Promise<number> {
  const usual: Record<string, unknown> = { id: artifact.id };
  if (tool === "grep") usual["pattern"] = "x";
  if (tool === "jq") usual["filter"] = ".";
  if (tool === "sql") usual["query"] = "FROM output";
  return await counter.count(() => drillIn.run(tool, { ...usual, [name]: value }, CALL));
}

it.each(ARGUMENTS)(
  "the work of the event loop of %s grows no faster than its %s",
  async (tool, name) => {
    const beyond: string[] = [];
    for (const piece of LANGUAGES.includes(name) ? PIECES : ["a", '"']) {
      for (const length of LENGTHS) {
        const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
        for (const value of valuesOf(name, text)) {
          const work = await workOf(tool, name, value);
          if (work > MAX_FIXED_WORK + MAX_WORK_PER_CHARACTER * length) {
            beyond.push(`${JSON.stringify(piece)} × ${length}: ${work}`);
          }
        }
      }
    }
    expect(beyond).toEqual([]);
  },
);
