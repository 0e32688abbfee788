import { isJson } from "../../../src/core/content/value/any-json.js";
import { outputsOf } from "../data.js";
import { lro, sessionKeyOf } from "../entries.js";
import { outputOf } from "../offload-case.js";
import type { Case } from "../pins.js";
import { SESSION } from "../rig.js";

const { "a JSON array": array, "a log": log, "a CSV": csv } = outputsOf(100);
/** What is read: outputs of some layouts, and what is awkward about text, numbers and keys. */
const BODIES: Readonly<Record<string, unknown>> = {
  array,
  log,
  csv,
  awkward: `[${Array.from({ length: 200 }, (_, n) => `{"n":1234567890123456789${n},"e":1e400,"a":1,"a":2,"":"empty","__proto__":{"x":1},"t":"\\ud800 \\u0000 日本"}`).join(",")}]`,
  orders: Array.from({ length: 400 }, (_, n) => ({
    record: n % 120,
    amount: n * 10,
    day: `2026-01-0${1 + (n % 9)}`,
  })),
};

const READ = "read_tool_output";
const GREP = "grep_tool_output";
const JQ = "jq_tool_output";
const EXTRACT = "lro_extract";
const SQL = "sql_tool_output";

type Call = readonly [tool: string, body: string, args: Readonly<Record<string, unknown>>];

/** `with` names bodies in place of their ids. */
const CALLS: readonly Call[] = [
  [READ, "array", { start_record: 2, end_record: 3 }],
  [READ, "log", { start_line: "5", end_line: "6" }],
  [READ, "awkward", { start_record: 1, end_record: 1 }],
  [GREP, "log", { pattern: "error request 11\\b", ignore_case: true, before: 1, after: 1 }],
  [GREP, "log", { pattern: "INFO|WARN", invert: true, max_results: 3, skip: 2 }],
  [GREP, "log", { pattern: "(unclosed" }],
  [JQ, "array", { filter: "group_by(.city) | map({city: .[0].city, n: length})", slurp: true }],
  [JQ, "array", { filter: ".[" }],
  [JQ, "array", { filter: "[env | length, ($ENV | length)]", limit: 1 }],
  [
    JQ,
    "array",
    {
      filter: ". as $r | [$orders[] | select(.record == $r.id).amount] | add",
      with: { orders: "orders" },
      limit: 3,
    },
  ],
  [JQ, "csv", { filter: ".who", limit: 2 }],
  [JQ, "awkward", { filter: ".n, .e, .t", limit: 3 }],
  [EXTRACT, "array", { recipe: 2, params: { limit: 5 }, skip: 1 }],
  [SQL, "array", { query: "SELECT city, count(*), sum(score) FROM output GROUP BY ALL" }],
  [SQL, "array", { query: "DROP TABLE output" }],
  [SQL, "array", { query: "SELECT * FROM read_text('/etc/hostname')" }],
  [
    SQL,
    "array",
    { query: "SELECT sum(amount) FROM output JOIN o ON record = id", with: { o: "orders" } },
  ],
];

/**
 * The lines of an answer that are data: JSON, or part of what is stored, after the number of a line. All other lines are
 * wording.
 */
function dataIn(text: string, body: string): readonly string[] {
  return text.split("\n").filter((line) => {
    const bare = line.replace(/^\d+[:-]/, "");
    return bare.trim() !== "" && (isJson(line) || body.includes(bare));
  });
}

/** Each call as a model makes it, over one set of engines. */
export const drillIns: readonly Case[] = [
  {
    name: "every drill-in tool",
    run: async (rig) => {
      const offloader = rig.offloader({
        preset: lro(),
        tokenizer: "characters",
        drillIn: { names: { extract: EXTRACT }, sql: {}, timeoutMs: 25_000, maxAnswerTokens: 400 },
      });
      const ids = new Map<unknown, string>();
      for (const [body, value] of Object.entries(BODIES)) {
        const given = outputOf({ value, always: true, args: { query: body } });
        const result = await offloader.offload(given);
        if (result.outcome === "offloaded") ids.set(body, result.storedArtifact.id);
      }
      const tools = offloader.tools(SESSION);
      const told: Record<string, unknown> = {};
      for (const [name, body, { with: others, ...args }] of CALLS) {
        const id = ids.get(body) ?? "";
        const record = await rig.store.stat(id, sessionKeyOf(SESSION));
        const stored = record && Buffer.from(await rig.store.read(record)).toString();
        const named = Object.entries(Object(others)).map(([key, one]) => [key, ids.get(one)]);
        rig.events.length = 0;
        const answer = await tools
          .find((tool) => tool.name === name)
          ?.run({
            [name === EXTRACT ? "file_path" : "id"]: id,
            ...args,
            ...(named.length > 0 && { with: Object.fromEntries(named) }),
          });
        told[`${name} ${body} ${JSON.stringify(args)}`] = {
          failed: answer?.failed,
          data: dataIn(answer?.text ?? "", stored ?? ""),
          events: rig.events.map(({ type }) => type),
        };
      }
      await offloader.close();
      return told;
    },
  },
];
