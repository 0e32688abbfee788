import { memories, outputsOf, records } from "../data.js";
import type { Case } from "../pins.js";
import { walked, type WalkRow } from "../walk.js";

const rows = records(120);
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const json = JSON.stringify(rows);
const bytes = Buffer.from(
  Array.from({ length: 20_000 }, (_, at) => (at * 7919 + (at >> 8)) & 0xff),
);
const latin = Buffer.from("na\u00efve caf\u00e9 d\u00e9j\u00e0-vu\n".repeat(600), "latin1");
const scored = (value: unknown) => JSON.stringify(value);

/** What an output is: told from its value, and stored as that. */
const ROWS: readonly WalkRow[] = [
  ...Object.entries(outputsOf(100)).map(([name, value]) => ({ name, output: { value } })),
  { name: "a list that is no text", output: { value: rows } },
  {
    name: "an object around records that is no text",
    output: { value: { total: 9, items: rows } },
  },
  {
    name: "two lists of records in one document",
    output: { value: { orders: rows, data: { refunds: rows.slice(0, 70) }, total: 190 } },
  },
  {
    name: "records with much beside them, and lone surrogates",
    output: {
      value: scored({ items: rows, help: "words \ud800 ".repeat(200), page: { next: null } }),
    },
  },
  {
    name: "a map of records beside a list, pretty-printed",
    output: {
      value: JSON.stringify(
        { users: Object.fromEntries(rows.map((row) => [`k${String(row["id"])}`, row])), rows },
        null,
        2,
      ),
    },
  },
  {
    name: "a map of records",
    output: {
      value: scored(Object.fromEntries(rows.map((row) => [`k${String(row["id"])}`, row]))),
    },
  },
  { name: "JSON lines", output: { value: rows.map((row) => scored(row)).join("\n") } },
  {
    name: "one JSON document without records",
    output: { value: scored({ a: { b: "x".repeat(4000) }, c: "y".repeat(4000) }) },
  },
  { name: "a TSV", output: { value: `id\tcity\n${'7\tOslo "the" city\n'.repeat(500)}` } },
  {
    name: "a CSV with line ends and quotes in its cells",
    output: { value: `id,note\r\n${'1,"a ""b"",\nc"\r\n'.repeat(600)}` },
  },
  {
    name: "numbers and keys that JavaScript cannot hold",
    output: {
      value: `[${'{"n":12345678901234567890,"e":1e400,"a":1,"a":2,"z":-0},'.repeat(200)}{"n":1.10}]`,
    },
  },
  {
    name: "pretty-printed JSON with CRLF",
    output: { value: JSON.stringify(rows, null, 2).replaceAll("\n", "\r\n") },
  },
  { name: "lone surrogates and NUL", output: { value: "a\ud800b\u0000c 日本 😀 ".repeat(800) } },
  {
    name: "a JSON array with lone surrogates",
    output: { value: `[${'{"t":"\ud800"},'.repeat(900)}{"t":"x"}]` },
  },
  { name: "bytes that are no text", output: { value: bytes } },
  { name: "bytes in another encoding", output: { value: latin } },
  { name: "text in a Blob", output: { value: new Blob([json]) } },
  { name: "a Map and a Set", output: { value: new Map([["found", new Set(rows)]]) } },
  { name: "one line of 20,000 characters", output: { value: "0123456789".repeat(2_000) } },
  {
    name: "text blocks with an image between them",
    output: { value: [{ type: "text", text: json }, image, { type: "text", text: "and the end" }] },
  },
  {
    name: "an image alone, however large",
    output: { value: [{ ...image, data: "A".repeat(20_000) }] },
  },
  {
    name: "an MCP text with structured content in its artifact",
    output: {
      value: "Found 120 records.",
      artifact: [{ type: "mcp_structured_content", data: { result: rows } }],
    },
  },
  {
    name: "an MCP result as a text",
    output: { value: scored({ type: "text", text: json }) },
  },
  {
    name: "the same with `unwrapped`",
    output: { value: scored({ type: "text", text: json }), unwrapped: true },
  },
  {
    name: "the set before a budget of inject_context",
    output: {
      toolName: "inject_context",
      value: scored({ context: "## Context", memories }),
      args: { query: "cache", detail: "light" },
    },
  },
  {
    name: "memories, recalled",
    output: { toolName: "recall_memories", value: scored(memories), args: { query: "cache" } },
  },
  {
    name: "memories, listed, in an object",
    output: { toolName: "list_memories", value: scored({ memories, total: 90 }) },
  },
  {
    name: "a selected result set",
    options: { selectResultSet: ({ artifact }) => artifact },
    output: { value: "What a budget left.", artifact: rows },
  },
  {
    name: "a selected result set that is small",
    options: { selectResultSet: ({ artifact }) => artifact },
    output: { value: words(), artifact: [1, 2] },
  },
  {
    name: "a selected result set that comes later",
    options: { selectResultSet: async () => await Promise.resolve(rows) },
    output: { value: "What a budget left." },
  },
  {
    name: "no selected result set",
    options: { selectResultSet: () => undefined },
    output: { value: rows },
  },
  {
    name: "a selection that throws",
    options: {
      selectResultSet: () => {
        throw new Error("no such set");
      },
    },
    output: { value: json },
  },
  {
    name: "wrapping that throws",
    options: {
      describe: {
        wrapInline: () => {
          throw new Error("wrap");
        },
      },
    },
    output: { value: "a small text" },
  },
  {
    name: "wrapping that gives no text",
    options: { describe: { wrapInline: () => 5 as never } },
    output: { value: "a small text" },
  },
  {
    name: "wrapping of a text with an image beside it",
    options: { describe: { wrapInline: (given) => `<${given}>` } },
    output: {
      value: [
        { type: "text", text: "small" },
        { type: "image", data: "AAAA" },
      ],
    },
  },
  {
    name: "a title, arguments and a name that is no file's",
    output: {
      value: json,
      title: "Orders of\nMay",
      toolName: "Über/../tool \u0000",
      args: { query: "all", token: 1n },
    },
  },
  {
    name: "arguments that are stored",
    output: { value: json, args: { query: "x".repeat(300), limit: 5 } },
  },
];

function words(): string {
  return "what a budget left ".repeat(20);
}

export const content: readonly Case[] = walked(ROWS);
