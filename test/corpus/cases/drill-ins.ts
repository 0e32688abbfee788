import { type Call, called } from "../library.js";
import type { Case } from "../pins.js";

const READ = "read_tool_output";
const GREP = "grep_tool_output";
const JQ = "jq_tool_output";
const SQL = "sql_tool_output";
const EXTRACT = "lro_extract";
const array = "a JSON array";
const log = "a log";

const CALLS: readonly Call[] = [
  [READ, array, { start_record: 2, end_record: 3 }],
  [READ, log, { start_line: "5", end_line: "6" }],
  [READ, "awkward", { start_record: 1, end_record: 1 }],
  [READ, "bytes", { start: 0, end: 40 }],
  [GREP, log, { pattern: "error request 11\\b", ignore_case: true, before: 1, after: 1 }],
  [GREP, log, { pattern: "INFO|WARN", invert: true, max_results: 3, skip: 2 }],
  [GREP, log, { pattern: "(unclosed" }],
  [GREP, log, { pattern: "(x+x+)+y" }],
  [JQ, array, { filter: "group_by(.city) | map({city: .[0].city, n: length})", slurp: true }],
  [JQ, array, { filter: ".[" }],
  [JQ, array, { filter: "[env | length, ($ENV | length)]", limit: 1 }],
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
  [JQ, "a CSV", { filter: ".who", limit: 2 }],
  [JQ, "awkward", { filter: ".n, .e, .t", limit: 3 }],
  [EXTRACT, array, { recipe: 2, params: { limit: 5 }, skip: 1 }],
  [EXTRACT, array, { recipe: 99 }],
  [
    SQL,
    array,
    { query: "SELECT city, count(*) AS n, sum(score) FROM output GROUP BY ALL ORDER BY city" },
  ],
  [SQL, array, { query: "DROP TABLE output" }],
  [SQL, array, { query: "SELECT * FROM read_text('/etc/hostname')" }],
  [
    SQL,
    array,
    (ids) => ({
      query:
        "SELECT name, sum(amount)::INT AS spent FROM output JOIN o ON record = id GROUP BY name ORDER BY 2 DESC, 1 LIMIT 3",
      with: { o: ids["orders"] },
    }),
  ],
  ...["unknown", "expired", "deleted", "foreign", "path", "empty", "nobody"].map((body): Call => [
    READ,
    body,
  ]),
];

/** Calls whose answers are longer than one may be. */
const CONTINUED: readonly Call[] = [
  [GREP, log, { pattern: "request", max_results: 3 }],
  [JQ, array, { filter: "{id, name, at}", limit: 3 }],
  [EXTRACT, array, { recipe: 1 }],
];

export const drillIns: readonly Case[] = [
  ...called("lro", CALLS),
  ...called("lro", CONTINUED, 1).map((one) => ({ ...one, name: `${one.name}, and on` })),
  ...called("mcpagent", [["read_large_output", log, { start: 10, end: 90 }]]),
  ...called("vectara", [["artifact_grep", log, { pattern: "request 39" }]]),
  ...called("metaCc", [["cleanup_temp_files", array]]),
];
