import { memories, outputsOf, records } from "../data.js";
import type { Case } from "../pins.js";
import { pipelineCases, type PipelineRow } from "../offload-case.js";

const rows = records(120);
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const json = JSON.stringify(rows);
const latin = Buffer.from("na\u00efve caf\u00e9 d\u00e9j\u00e0-vu\n".repeat(600), "latin1");
const scored = (value: unknown) => JSON.stringify(value);

/** What an output is: told from its value, and stored as that. */
const ROWS: readonly PipelineRow[] = [
  { name: "a Markdown text", output: { value: outputsOf(100)["a Markdown text"] } },
  {
    name: "two lists of records in one document",
    output: { value: { orders: rows, data: { refunds: rows.slice(0, 70) }, total: 190 } },
  },
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
  { name: "lone surrogates and NUL", output: { value: "a\ud800b\u0000c 日本 😀 ".repeat(800) } },
  { name: "bytes in another encoding", output: { value: latin } },
  {
    name: "text blocks with an image between them",
    output: { value: [{ type: "text", text: json }, image, { type: "text", text: "and the end" }] },
  },
  {
    name: "an MCP text with structured content in its artifact",
    output: {
      value: "Found 120 records.",
      artifact: [{ type: "mcp_structured_content", data: { result: rows } }],
    },
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
    name: "a selection that throws",
    options: {
      selectResultSet: () => {
        throw new Error("no such set");
      },
    },
    output: { value: json },
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
];

export const content: readonly Case[] = pipelineCases(ROWS);
