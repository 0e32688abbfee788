import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import { identifyContent } from "../../src/content/identify.js";
import { memoriesOf } from "../../src/content/mif/memories-of.js";
import { memorySummary } from "../../src/describe/summary.js";
import { fileStore } from "../../src/store/file/index.js";
import { artifactOf, call, headerOf, linesOf, memories, newDirectory, responseOf } from "./walk.js";

describe("the JSON lines file", () => {
  it("21 the file is a header line and one memory a line, each with a line end", async () => {
    const called = await call(JSON.stringify(memories(60, "full"), undefined, 2));
    const text = readFileSync(artifactOf(called).filePath ?? "", "utf8");
    expect(text.split("\n")).toHaveLength(62);
    expect(text).not.toContain("\r");
    for (const line of linesOf(called)) expect(JSON.parse(line)).toBeTypeOf("object");
  });

  it("22 the header has the eight fields in order, and null for a missing query", async () => {
    const startMs = Date.now();
    const asked = headerOf(await call(memories(), { args: { query: "cache" } }));
    expect(Object.keys(asked)).toEqual([
      "type",
      "operation",
      "query",
      "count",
      "schema_version",
      "timestamp",
      "estimated_tokens",
      "detail",
    ]);
    expect(asked).toMatchObject({
      type: "lro_header",
      operation: "recall",
      query: "cache",
      count: 60,
      schema_version: "0.1.0",
      detail: "light",
    });
    expect(new Date(String(asked["timestamp"])).toISOString()).toBe(asked["timestamp"]);
    expect(Date.parse(String(asked["timestamp"]))).toBeGreaterThanOrEqual(startMs);
    expect(asked["estimated_tokens"]).toBeTypeOf("number");
    expect(headerOf(await call(memories()))["query"]).toBeNull();
  });

  it("23 the operation is one of four for memory tools, and a safe name for any other", async () => {
    const operations = ["recall_memories", "inject_context", "list_memories", "search_memories"];
    for (const toolName of operations) {
      const operation = toolName.slice(0, toolName.indexOf("_"));
      expect(headerOf(await call(memories(), { toolName }))["operation"]).toBe(operation);
    }
    const foreign = await call(memories(), { toolName: "Query-Notes" });
    expect(headerOf(foreign)["operation"]).toBe("query-notes");
  });

  it("24 a line is the complete memory: unknown fields and exact numbers too", async () => {
    const set = memories(60, "full").map((memory) =>
      JSON.stringify({ ...memory, vendor: { a: [1] } }).replace(
        '"a":[1]',
        '"a":[12345678901234567890]',
      ),
    );
    const called = await call(`[${set.join(", ")}]`);
    expect(linesOf(called).slice(1)).toEqual(set);
  });

  it("25 MUST the file is in the configured directory under its operation and a ULID", async () => {
    const directory = newDirectory();
    const called = await call(memories(), { store: fileStore({ directory }) });
    const { filePath = "", id } = artifactOf(called);
    expect(filePath).toBe(join(directory, `atlatl-recall-${id}.jsonl`));
    expect(id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  });

  it("26 the default directory is the system's temporary one, and no name comes twice", async () => {
    const store = fileStore();
    const called = [await call(memories(), { store }), await call(memories(), { store })];
    const paths = called.map((one) => artifactOf(one).filePath ?? "");
    expect(paths.map((path) => dirname(path))).toEqual([tmpdir(), tmpdir()]);
    expect(new Set(paths).size).toBe(2);
    for (const one of called) {
      const { id, scope } = artifactOf(one);
      expect(await store.delete(id, scope)).toBe(true);
    }
  });

  it("27 the artifact keeps absolute path, what the header says, creation and expiry", async () => {
    const called = await call(memories(), { retention: { ttlMs: 5000 } });
    const artifact = artifactOf(called);
    const header = headerOf(called);
    expect(isAbsolute(artifact.filePath ?? "")).toBe(true);
    expect(artifact).toMatchObject({
      operation: header["operation"],
      recordCount: header["count"],
      tokens: header["estimated_tokens"],
      detail: header["detail"],
    });
    expect(new Date(artifact.createdAt).toISOString()).toBe(header["timestamp"]);
    expect(artifact.expiresAt).toBe(artifact.createdAt + 5000);
  });
});

describe("the OffloadResponse", () => {
  it("28 the descriptor takes the place of the content; call id, name and status stay", async () => {
    const { message } = await call(memories());
    expect(message).toMatchObject({ name: "recall_memories", tool_call_id: "call_1_0" });
    expect(message.status ?? "success").toBe("success");
    expect(message.content).toBeTypeOf("string");
  });

  it("29 MUST every field is there at every level, whatever the set's size", async () => {
    for (const detail of ["light", "medium", "full"] as const) {
      for (const count of [40, 200]) {
        const response = responseOf(await call(memories(count, detail), { args: { detail } }));
        expect(Object.keys(response)).toEqual([
          "offloaded",
          "summary",
          "file_path",
          "line_schema",
          // Beside those of the specification, where the agent has SQL.
          "sql_table",
          "jq_recipes",
          "guidance",
        ]);
        expect(Object.keys(response.summary)).toEqual([
          "count",
          "estimated_tokens",
          "operation",
          "top_namespaces",
          "score_range",
          "detail",
        ]);
      }
    }
  });

  it("30 the fields say what the set holds: count, commonest namespaces, scores, schema", async () => {
    const set = memories(200, "full");
    const called = await call(set, { toolName: "search_memories", args: { detail: "full" } });
    const response = responseOf(called);
    const counts = new Map<unknown, number>();
    for (const { namespace } of set) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    const ranked = [...counts].toSorted((one, other) => other[1] - one[1]);
    expect(response).toMatchObject({ offloaded: true, file_path: artifactOf(called).filePath });
    expect(response.summary).toMatchObject({ count: 200, operation: "search", detail: "full" });
    expect(response.summary["top_namespaces"]).toEqual(ranked.slice(0, 5).map(([name]) => name));
    expect(response.summary["score_range"]).toBeNull();
    const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
      response.line_schema,
    );
    for (const line of linesOf(called).slice(1)) {
      validate(JSON.parse(line));
      expect(validate.errors).toBeNull();
    }
    // Scores of hits are in the range and in no line.
    const hits = set.map((memory, index) => ({ memory, score: index / 200 }));
    const found = await memoriesOf(await identifyContent(JSON.stringify(hits)));
    const summary = memorySummary(artifactOf(called), 200, undefined, found?.scoreRange);
    expect(summary.score_range).toEqual([0, 0.995]);
    expect(new TextDecoder().decode(found?.content.body)).not.toContain("score");
  });
});
