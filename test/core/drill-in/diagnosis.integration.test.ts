import { extract } from "../../../src/presets/index.js";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { code } from "../../../src/plugins/code/code.js";
import type { DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";

import { sharedOffloader } from "../../opened-offloaders.js";
import { inSession } from "./in-session.js";

const RECORDS = Array.from({ length: 90 }, (_, index) => ({
  title: `canary-title-${index}`,
  state: index % 3 === 0 ? "open" : "closed",
  amount: index % 2 === 0 ? "49,50" : "7.10",
  user: { login: `canary-login-${index}`, ["x".repeat(300)]: 1, "🦜🦜 name\n": 2 },
  labels: [{ name: "canary-label" }],
}));
const DOCUMENT = { apiVersion: "v1", spec: { replicas: 2, template: { image: "canary-image" } } };
const ODD = {
  "by id": Object.fromEntries(RECORDS.map((_, at) => [`p-${at}`, { size: at, "x-y": 1 }])),
  "my.list": RECORDS.map((_, at) => ({ "a b": at, "c-d": { "<e>": [{ f: 1 }] } })),
};
const ONE = { "a b": { "c-d": [{ "e.f": 1 }] } };
const SETS = { page: 1, orders: RECORDS, refunds: RECORDS.map(({ title }) => ({ refund: title })) };

const STORED = { records: RECORDS, document: DOCUMENT, one: ONE, sets: SETS, odd: ODD };
const ids: Record<string, string> = {};
const { offload, run } = inSession(
  sharedOffloader({
    threshold: { tokens: 0 },
    plugins: [code(), extract()],
    drillIn: { sql: {}, timeoutMs: 25_000 },
  }),
);

beforeAll(async () => {
  for (const [name, value] of Object.entries({ ...STORED, oddRecords: ODD["my.list"] }))
    ids[name] = (await offload(value)).storedArtifact.id;
});

type Tool = "jq" | "sql" | "code" | "grep" | "extract";

async function ask(tool: Tool, query: string, of = "records"): Promise<DrillInAnswer> {
  const id = ids[of] ?? "";
  const args = {
    jq: { id, filter: query },
    sql: { id, query },
    code: { code: query.replaceAll("ID", `"${id}"`) },
    grep: { id, pattern: query },
    extract: { file_path: id, query },
  }[tool];
  return await run(tool, args);
}

/** The names that an answer lists, of which there is one sentence for each table or output. */
function listed({ text }: DrillInAnswer): readonly string[] {
  return [...text.matchAll(/nearest first: (.*)\.$/gm)].flatMap(([, list = ""]) =>
    list.replace(/ and \d+ more$/, "").split(", "),
  );
}

/** Queries with a hole for anything, as JSON, as a text of SQL, or in brackets; all of them wrong. */
const WRONG: readonly (readonly [Tool, string])[] = [
  ["jq", ".titel | error(JSON)"],
  ["jq", ".titel[JSON] | undefined_1"],
  ["jq", ".state | .[JSON]"],
  ["jq", ".titel.[ JSON"],
  ["jq", ".titel == JSON and $absent"],
  ["extract", ".labels[] | .name | keys + [JSON]"],
  ["sql", "SELECT titel FROM output WHERE state = 'TEXT'"],
  ["sql", "SELECT * FROM outptu WHERE title = 'TEXT'"],
  ["sql", "SELECT sum(title + 1, 'TEXT') FROM output"],
  ["sql", "SELEC JSON FROM output"],
  ["code", "for (const r of outputs.open(ID)) print(r.titel.length, JSON)"],
  ["code", '[...outputs.open(ID, ["titel"])]; JSON'],
  ["code", "outputs.open(ID).next(); throw new RangeError(JSON)"],
  ["grep", "(?=a)JSON"],
  ["grep", "[BARE"],
];
const filled = (query: string, hole: string): string =>
  query
    .replace("JSON", () => JSON.stringify(hole))
    .replace("TEXT", () => hole.replaceAll("'", "''"))
    .replace("BARE", () => hole.replaceAll("]", ""));

describe("a wrong query", () => {
  it("is answered in few tokens, as failed, with the engine's words and the fields, and with no call", async () => {
    const text = fc.oneof(
      fc.constantFrom("", "canary", "🦜".repeat(200), "word ".repeat(150), "\u001b[31m".repeat(99)),
      fc
        .string({ unit: "binary", maxLength: 400 })
        .map((one) => one.replaceAll("\0", "").toWellFormed()),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...WRONG), async (hole, [tool, query]) => {
        const answer = await ask(tool, filled(query, hole));
        expect(answer.failed).toBe(true);
        expect(answer.tokens).toBeLessThanOrEqual(150);
        expect(answer.text).not.toMatch(/tool_output \{|Next call/);
        expect(answer.text).toMatch(/error|Error|Invalid|no record/);
      }),
      { numRuns: 25 },
    );
    for (const [tool, query] of WRONG) {
      const answer = await ask(tool, filled(query, "x"));
      const isSyntax = /syntax error|Parser Error/.test(answer.text);
      if (tool !== "grep" && !isSyntax) expect(listed(answer)).toContain("title");
    }
  });

  it("is told that it ran on each record where that may be why", async () => {
    for (const [query, isTold] of [
      [".[0].title", true],
      ["sort_by(.title)", true],
      [".title | capitalize", false],
      ['.title | test("(")', false],
    ] as const)
      expect((await ask("jq", query)).text.includes("on each record")).toBe(isTold);
  });

  it("has its place in the query", async () => {
    expect((await ask("jq", ".title |\n  nothing_here")).text).toContain("line 2, column");
    const sql = await ask(
      "sql",
      `SELECT title,\n  titel FROM output WHERE ${"state = state AND ".repeat(80)} true`,
    );
    expect(sql.text).toMatch(/LINE 2:[\s\S]*\^/);
    expect((await ask("code", "const a = 1;\na.b.c")).text).toMatch(/^Line 2$/m);
  });
});

describe("S11: a filter that finds nothing", () => {
  it.each([
    [".titel", "records", "title"],
    ['select(.stat == "open")', "records", "state"],
    [".user.logn", "records", "user.login"],
    [".labels[].nam", "records", "labels[].name"],
    [".spec.replica", "document", ".spec.replicas"],
    [".orders[] | .titel", "sets", ".orders[].title"],
    [".refunds[] | .refnd", "sets", ".refunds[].refund"],
    ["if .nothing then 1 else empty end", "records", "title"],
  ])(
    "%s of %s is answered with the fields, and with no value of the data",
    async (filter, of, name) => {
      const answer = await ask("jq", filter, of);
      expect(answer.failed).toBe(false);
      expect(listed(answer).slice(0, 4)).toContain(name);
      expect(answer.text).not.toMatch(/canary|slurp|startswith|gsub|tostring|49,50/);
      expect(answer.text.split("\n").filter((line) => line.startsWith("Next"))).toEqual([]);
    },
  );

  it("names fields by paths that jq takes as they stand, in maps and with names that need quotes", async () => {
    for (const of of ["odd", "oddRecords", "one"]) {
      const names = listed(await ask("jq", ".nothing", of));
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) {
        const each = await ask("jq", `[.${name.replace(/^\./, "")}] | map(values) | length`, of);
        expect([name, each.failed, each.text.split("\n")[0]]).toEqual([
          name,
          false,
          expect.stringMatching(/^[1-9]/),
        ]);
      }
    }
  });

  it("says nothing of fields where every name is one and something was found", async () => {
    const filters = [".title", "{a: .title, b: .state}", "length", "first(inputs) | .user.login"];
    for (const filter of filters) expect(listed(await ask("jq", filter))).toEqual([]);
  });
});

describe("S12: a query that finds nothing, or is wrong", () => {
  it("is answered with the columns, nearest first, and with no value of the data", async () => {
    for (const [query, name] of [
      ["SELECT titel FROM output", "title"],
      ["SELECT title FROM output WHERE state = 'opne'", "title"],
      ["SELECT max(title) FROM output WHERE state = 'opne'", "title"],
      ["SELECT title || 1 + amunt FROM output", "amount"],
    ] as const) {
      const answer = await ask("sql", query);
      expect(listed(answer).slice(0, 2)).toContain(name);
      expect(answer.text).not.toMatch(/canary|starts_with|TRY_CAST|->>/);
    }
    expect(listed(await ask("sql", "SELECT count(*) FROM output"))).toEqual([]);
  });

  it("code that returns nothing is answered with the fields that it read", async () => {
    const answer = await ask(
      "code",
      'return [...outputs.open(ID)].filter((r) => r.stat === "open")',
    );
    expect(answer.failed).toBe(false);
    expect(listed(answer).slice(0, 2)).toContain("state");
  });
});

describe("R16: faults of jq's own", () => {
  it("the end of the input is told as such, and what came before is kept", async () => {
    for (const [filter, failed] of [
      ["[inputs] | input", true],
      [".state, (input | input | input | .state)", true],
      ["[inputs], input", true],
      ["[inputs | .state] | try input catch .", false],
    ] as const)
      expect(await ask("jq", filter)).toMatchObject({
        failed,
        text: expect.stringContaining("No more inputs"),
      });
    expect((await ask("jq", "[limit(2; inputs | .title)] | length")).text).toMatch(/^2\n/);
    expect((await ask("jq", 'error("break")')).text).toMatch(/error: break/);
  });

  it("R16: a time beyond all dates is an error, which a filter can catch, and not another date", async () => {
    for (const filter of [
      "[1e300,1,1,1,1,1,1,1] | mktime",
      '1e300 | strftime("%Y")',
      "-1e300 | gmtime",
      'infinite | strflocaltime("%Y")',
    ]) {
      const answer = await ask("jq", filter);
      expect([filter, answer.failed]).toEqual([filter, true]);
      expect(answer.text).not.toContain("1900");
    }
    const { text } = await ask("jq", "first(inputs) | [1e10,0,0,0,0,0,0,0] | try mktime catch .");
    expect(text).toContain("invalid gmtime representation");
  });
});
