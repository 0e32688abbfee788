import { describe, expect, it } from "vitest";
import { check } from "./check.js";

interface Case {
  readonly raw: string;
  /** A descriptor, or the summary and the fields of one. */
  readonly told: Readonly<Record<string, unknown>>;
  /** What is false of it: the beginning of each claim. */
  readonly wrong: readonly string[];
}

const RECORDS = [
  { id: 3, at: "2026-01-01", state: "open", tags: ["a"], by: { login: "ann" }, note: null },
  { id: 5, at: "2026-02-01", state: "open", tags: [], by: { login: "bob" }, note: "" },
  { id: 9, at: "2026-03-01", state: "done", tags: ["b", "c"], by: { login: "ann" } },
];
const ARRAY = JSON.stringify(RECORDS);
const fields = (told: Readonly<Record<string, string>>): Case["told"] => ({
  summary: { count: 3, kind: "json-array" },
  line_schema: told,
});
const outline = (kind: string, lines: readonly string[]): Case["told"] => ({
  summary: { kind },
  outline: lines,
});
const LOG =
  "2026-01-01T00:00:00Z INFO began\n2026-01-01T00:00:05Z main ERROR no disk 7\n2026-01-01T00:00:09Z it ended with NO ERROR at all\n";
const MARKDOWN = "intro\n\n# One\n\ntext\n\n## Two\n\nmore\n";
const DOCUMENT = JSON.stringify({
  list: [{ a: "x" }, { a: "y" }, { a: "x", b: 1 }],
  map: { k: [1, 2], l: [3] },
  odd: "7",
});
const DIFF = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";

const CASES: Readonly<Record<string, Case>> = {
  "fields that are told otherwise": {
    raw: ARRAY,
    told: fields({
      id: "integer 3 to 8",
      at: "text (dates) 2026-01-02 to 2026-03-01",
      state: "text: open ×3",
      tags: "list of 0 to 1: integer",
      "by.login": "text, 3 distinct, e.g. eve",
      note: "text; 2 null; absent in 2",
      nothing: "text",
    }),
    wrong: [
      "id: 3 to 8",
      "at: 2026-01-02 to",
      "state: open ×3",
      "tags: list of integer",
      "tags: list of 0 to 1",
      "by.login: e.g.",
      "by.login: 3 distinct",
      "note: absent in 2",
      "note: 2 null",
      "nothing: text",
    ],
  },
  "values of a sample": {
    raw: ARRAY,
    told: {
      summary: {
        count: 3,
        kind: "json-array",
        looked_at: "a sample of 2 of 4 records; line_schema describes only these",
      },
      line_schema: { id: "integer, e.g. 3, 4", state: "text, e.g. open, dune; some null" },
    },
    wrong: ["a sample of 2 of 4", "id: e.g. 4", "state: e.g. dune"],
  },
  "lists and maps that are told otherwise": {
    raw: JSON.stringify([
      { l: [{ a: 1 }, { a: 2 }], m: { k1: 1, k3: "t" }, c: { x: [1], y: [2, 3] }, v: 1 },
    ]),
    told: fields({
      "l[].a": "integer 1 to 3",
      m: "map with 3 keys (k1, …), apart from 2 text (k1), each number",
      c: "2 lists of equal length: x, y",
      v: "2× integer 1 or 0× text",
    }),
    wrong: [
      "count 3",
      "l[].a: 1 to 3",
      "m: map with 3",
      "m: , apart from 2 text (k1)",
      "c: 2 lists",
      "v: 2× integer",
    ],
  },
  "rows of a table": {
    raw: 'n,who\n1,"a, b"\n2,c\n',
    told: {
      summary: { count: 2, kind: "csv" },
      line_schema: { n: "integer 1 to 3, unique", who: 'text, unique, e.g. "a, b"' },
    },
    wrong: ["n: 1 to 3"],
  },
  "versions that are told as dates": {
    raw: JSON.stringify([{ v: "1.1.10", c: "10-12-20", d: "2026-01-31" }]),
    told: {
      summary: { count: 1, kind: "json-array" },
      line_schema: { v: "text (dates)", c: "text (dates)", d: "text (dates)" },
    },
    wrong: ["v: date", "c: date"],
  },
  "bytes, lines and excerpts": {
    raw: "one\ntwo\nthree\n",
    told: {
      summary: { kind: "text", size_bytes: 14, lines: 4 },
      preview: "one\ntwo",
      preview_end: "four",
    },
    wrong: ["lines 4", "preview_end"],
  },
  "pages that are told": {
    raw: JSON.stringify({ data: [1], paging: { cursors: { after: "Q" }, previous: "p" } }),
    told: {
      summary: {
        kind: "json-object",
        next_page: { tool: "t", cursor_at: "paging.cursors.after", cursor: "Q" },
      },
    },
    wrong: ["next page at paging.cursors.after"],
  },
  "sets and what is beside them": {
    raw: JSON.stringify({ a: [1, 2], b: [3], c: { d: 1 } }),
    told: {
      summary: {
        count: 3,
        kind: "json-object",
        records_at: [
          { path: ".a", count: 2 },
          { path: ".b", count: 2 },
        ],
        rest: { ".c": "object of 2 keys, 7 B" },
      },
    },
    wrong: [".b 2 records", "rest .c"],
  },
  "levels of a log": {
    raw: LOG,
    told: outline("log", [
      "3 lines have a time: first 2026-01-01T00:00:00Z (line 1), last 2026-01-01T00:00:05Z (line 3)",
      "levels: ERROR 2 (first: line 2), INFO 1 (first: line 1)",
      "line 1: 2026-01-01T00:00:00Z INFO began",
    ]),
    wrong: ["3 lines have a time", "levels: ERROR 2"],
  },
  "headings of Markdown": {
    raw: MARKDOWN,
    told: outline("markdown", ["line: heading", "3: # One", "8: ## Two"]),
    wrong: ["8: ## Two"],
  },
  "headings that leave out the first": {
    raw: MARKDOWN,
    told: outline("markdown", ["7: ## Two", "1 more headings not shown"]),
    wrong: ["the first heading is in line 7"],
  },
  "the title and the headings of a page": {
    raw: "<title>T</title>\n<p>a < b\n<h1>Top</h1>\n",
    told: outline("html", ["U", "2: # Top"]),
    wrong: ["title U", "2: # Top", "the first heading is in line 2"],
  },
  "places of a document": {
    raw: DOCUMENT,
    told: outline("json-document", [
      '.: {list: list of 3: {a, b: number}, map: {…}, odd: "8"}',
      ".list[] (4): {a, b: number}",
      ".map: map with 3 keys (k, l), each list of 1 to 2: number",
    ]),
    wrong: [".: {list", ".list[] (4)", ".map: map"],
  },
  "elements of XML": {
    raw: '<r>\n<i k="1"/>\n<i k="2">t</i>\n</r>\n',
    told: outline("xml", [".r.i: list of 3: {@k, #text}", ".r: {i: list of 2: {@k, #text}}"]),
    wrong: [".r.i: list of 3"],
  },
  "changes of a diff": {
    raw: DIFF,
    told: outline("diff", ["1 diff with changed lines, +1 -2", "2: x (+1 -1)"]),
    wrong: ["1 diff"],
  },
  "where definitions are": {
    raw: "export function one(): void {\n  two();\n}\nfunction two(): void {}\n",
    told: outline("code", [
      "line: definition",
      "2: export function one(): void",
      "4: function two(): void",
    ]),
    wrong: ["2: export"],
  },
  "a reference to a file of a map": {
    raw: JSON.stringify({ u0: { age: 1 }, u1: { age: 2 } }),
    told: {
      mode: "file_ref",
      file_ref: { path: "x.json", fields: ["key", "value"], summary: { total_records: 2 } },
    },
    wrong: ["fields key, value"],
  },
  "the shape of a document": {
    raw: JSON.stringify({ rows: [{ a: 1 }, { a: 2 }], next: null }),
    told: { artifact_id: "x", shape: { rows: "array(3) of object(1 key)", next: "null" } },
    wrong: ["shape"],
  },
};

describe("The oracle", () => {
  it.each(Object.entries(CASES))(
    "finds what is false, and no more, of %s",
    (_, { raw, told, wrong }) => {
      const found = check(
        { name: "made", text: raw },
        { descriptor: JSON.stringify(told), stored: raw },
      );
      const said = found.wrong.map((one) => one.said);
      expect(said).toHaveLength(wrong.length);
      for (const beginning of wrong)
        expect(said.filter((one) => one.startsWith(beginning))).not.toEqual([]);
      expect(found.notUnderstood).toEqual([]);
    },
  );

  it("reports what it does not understand", () => {
    const told = { ...fields({ id: "some integers" }), outline: ["what is this"], other: 1 };
    const { notUnderstood } = check(
      { name: "made", text: ARRAY },
      { descriptor: JSON.stringify(told), stored: ARRAY },
    );
    expect(notUnderstood).toHaveLength(3);
  });
});
