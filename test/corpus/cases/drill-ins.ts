import { type Call, called } from "../library.js";
import type { Case } from "../pins.js";

const READ = "read_tool_output";
const GREP = "grep_tool_output";
const JQ = "jq_tool_output";
const SQL = "sql_tool_output";
const EXTRACT = "lro_extract";
const array = "a JSON array";
const csv = "a CSV";
const log = "a log";

const CALLS: readonly Call[] = [
  [READ, array, { start_record: 2, end_record: 3 }],
  [READ, array, { start_line: -2 }],
  [READ, array, { start_line: "5", end_line: "5", start_character: 3 }],
  [READ, array, { start_record: 500 }],
  [READ, array, { start_line: 1, start: 5 }],
  [READ, "nested records", { start_line: 1, end_line: 1 }],
  [READ, csv, { start_line: 1, end_line: 3 }],
  [READ, "document", { start: 0, end: 60 }],
  [READ, "awkward", { start_record: 1, end_record: 1 }],
  [READ, "bytes", { start: 0, end: 40 }],
  [READ, "a Markdown text", { start: -50 }],
  [READ, log, { lines: 5 }],
  [READ, log, { start_line: "first" }],
  [GREP, array, { pattern: "record 7\\d" }],
  [GREP, log, { pattern: "error request 11\\b", ignore_case: true, before: 1, after: 1 }],
  [GREP, log, { pattern: "ERROR", count_only: true }],
  [GREP, log, { pattern: "INFO|WARN", invert: true, max_results: 3, skip: 2 }],
  [GREP, csv, { pattern: "of Lima", literal: true, max_results: 2 }],
  [GREP, "one line", { pattern: "語😀" }],
  [GREP, "bytes", { pattern: "a", max_results: 1 }],
  [GREP, log, { pattern: "nothing like this" }],
  [GREP, log, { pattern: "(unclosed" }],
  [GREP, log, { pattern: "(a)\\1" }],
  [GREP, log, { pattern: "" }],
  [GREP, log, { pattern: "(x+x+)+y" }],
  [GREP, log, { pattern: "x".repeat(2_000) }],
  [GREP, log],
  [JQ, array, { filter: "select(.score > 950) | .name" }],
  [JQ, array, { filter: "group_by(.city) | map({city: .[0].city, n: length})", slurp: true }],
  [JQ, array, { filter: ".name", raw: true, skip: 3, limit: 2 }],
  [JQ, array, { filter: ".[:1]", slurp: true, compact: false }],
  [JQ, array, { filter: "select(.city == $c) | .id", args: { c: "Oslo" }, limit: 3 }],
  [JQ, array, { filter: "$c" }],
  [JQ, array, { filter: ".nmae" }],
  [JQ, array, { filter: ".[" }],
  [JQ, array, { filter: 'error("mine")' }],
  [JQ, array, { filter: "[limit(5; repeat(1))]", limit: 1 }],
  [JQ, array, { filter: "env, $ENV, input_filename, now | type", limit: 1 }],
  [JQ, array, { filter: "x".repeat(20_000) }],
  [
    JQ,
    array,
    (ids) => ({
      filter: ". as $r | [$orders[] | select(.record == $r.id).amount] | add",
      with: { orders: ids["orders"] },
      limit: 3,
    }),
  ],
  [JQ, array, (ids) => ({ filter: ".", with: { b: ids["foreign"] } })],
  [JQ, array, (ids) => ({ filter: ".", with: { ENV: ids["orders"] } })],
  [JQ, "nested records", { filter: ".owner.tags[0]", limit: 1 }],
  [JQ, "document", { filter: ".rates" }],
  [JQ, csv, { filter: ".who", limit: 2 }],
  [JQ, "awkward", { filter: ".n, .e, .t", limit: 3 }],
  [JQ, log, { filter: "." }],
  [EXTRACT, array, { recipe: 1 }],
  [EXTRACT, array, { recipe: 3, params: { value: "Rome" }, skip: 1 }],
  [EXTRACT, array, { recipe: 4 }],
  [EXTRACT, array, { recipe: 99 }],
  [EXTRACT, array, { query: ".city" }],
  [EXTRACT, array, { query: ".city", recipe: 1 }],
  [EXTRACT, array, { recipe: 1, params: { nobody: 1 } }],
  [EXTRACT, array],
  [EXTRACT, log, { recipe: 1 }],
  [
    SQL,
    array,
    { query: "SELECT city, count(*) AS n, sum(score) FROM output GROUP BY ALL ORDER BY city" },
  ],
  [SQL, array, { query: "SELECT nmae FROM output" }],
  [SQL, array, { query: "SELECT 1 FROM nothing" }],
  [SQL, array, { query: "DROP TABLE output" }],
  [SQL, array, { query: "SELECT 1; SELECT 2" }],
  [SQL, array, { query: "SELECT * FROM read_text('/etc/hostname')" }],
  [SQL, array, { query: "SELECT getenv('HOME')" }],
  [SQL, array, { query: "" }],
  [
    SQL,
    array,
    (ids) => ({
      query:
        "SELECT name, sum(amount)::INT AS spent FROM output JOIN o ON record = id GROUP BY name ORDER BY 2 DESC, 1 LIMIT 3",
      with: { o: ids["orders"] },
    }),
  ],
  [SQL, array, (ids) => ({ query: "SELECT 1", with: { output: ids["orders"] } })],
  [SQL, "nested records", { query: "SELECT owner.id, owner.tags FROM output ORDER BY 1 LIMIT 2" }],
  [SQL, csv, { query: "SELECT count(*), max(score) FROM output" }],
  [SQL, "awkward", { query: "SELECT n, t FROM output LIMIT 2" }],
  [SQL, "document", { query: "SELECT 1" }],
  [SQL, log, { query: "SELECT 1" }],
  ...[READ, GREP, JQ, SQL, EXTRACT].flatMap((tool): Call[] => {
    const args = { pattern: "x", filter: ".", query: tool === SQL ? "SELECT 1" : "." };
    const { pattern, filter, query } = args;
    const own =
      { [READ]: {}, [GREP]: { pattern }, [JQ]: { filter }, [SQL]: { query }, [EXTRACT]: { query } }[
        tool
      ] ?? {};
    const gone =
      tool === READ
        ? ["unknown", "expired", "deleted", "foreign", "path", "empty", "nobody"]
        : ["expired", "foreign"];
    return gone.map((body) => [tool, body, own]);
  }),
];

/** Calls whose answers are longer than one may be. */
const CONTINUED: readonly Call[] = [
  [READ, array],
  [READ, log, { start_line: 10, end_line: 90 }],
  [READ, "one line", { start: 100 }],
  [READ, "document"],
  [GREP, log, { pattern: "request" }],
  [GREP, "one line", { pattern: "日" }],
  [JQ, array, { filter: "{id, name, at}" }],
  [JQ, array, (ids) => ({ filter: "{id, n: ($o | length)}", with: { o: ids["orders"] } })],
  [EXTRACT, array, { recipe: 1 }],
  [SQL, "orders", { query: "SELECT * FROM output ORDER BY amount" }],
];

const PRESET_CALLS: Readonly<Record<string, readonly Call[]>> = {
  atlatl: [
    [JQ, array, { filter: ".id", limit: 2 }],
    [READ, log, { start_line: 3, end_line: 4 }],
  ],
  mcpagent: [
    ["read_large_output", log, { start: 10, end: 90 }],
    ["read_large_output", log],
    [
      "search_large_output",
      log,
      { pattern: "error request 1", case_sensitive: false, max_results: 2 },
    ],
    ["query_large_output", array, { query: ".[3]" }],
    ["query_large_output", array, { query: ".[:2]", compact: true }],
    ["search_large_output", "unknown", { pattern: "x" }],
  ],
  vectara: [
    ["artifact_read", log, { start_line: 2, end_line: 3 }],
    ["artifact_read", log],
    ["artifact_grep", log, { pattern: "request 39\\d" }],
    ["artifact_jq", array, { filter: ".[0].name" }],
    ["artifact_jq", "foreign", { filter: "." }],
  ],
  metaCc: [
    ["cleanup_temp_files", array],
    [JQ, array, { filter: ".id", limit: 1 }],
  ],
};

/** Answers of few tokens, and answers that the true tokenizer measures. */
const MEASURED: readonly Call[] = [
  [READ, array],
  [READ, "one line", { start: 30 }],
  [GREP, log, { pattern: "request", before: 2 }],
  [GREP, "one line", { pattern: "日" }],
  [JQ, array, { filter: "." }],
  [EXTRACT, array, { recipe: 1 }],
];

export const drillIns: readonly Case[] = [
  ...called(
    "tight",
    [...MEASURED, [SQL, "orders", { query: "SELECT * FROM output ORDER BY amount" }]],
    1,
  ),
  ...called("exact", MEASURED, 1),
  ...called("lro", CALLS),
  ...called("lro", CONTINUED, 2).map((one) => ({ ...one, name: `${one.name}, and on` })),
  ...Object.entries(PRESET_CALLS).flatMap(([name, calls]) => called(name, calls, 1)),
];
