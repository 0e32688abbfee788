import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

import { ToolMessage } from "@langchain/core/messages";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

import { fileStore } from "../../src/core/store/file/index.js";
import { newDirectory } from "../after-file.js";
import {
  artifactOf,
  call,
  callTool,
  DETAILS,
  headerOf,
  linesOf,
  memories,
  RESPONSE_FIELDS,
  responseOf,
  SUMMARY_FIELDS,
} from "./offload-call.js";

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
    const fields = "type operation query count schema_version timestamp estimated_tokens detail";
    expect(Object.keys(asked).join(" ")).toBe(fields);
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
      const { id, sessionKey } = artifactOf(one);
      expect(await store.delete(id, sessionKey)).toBe(true);
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
  it("28 the descriptor takes the place of the set; call id, name, id and status stay", async () => {
    const set = memories();
    const given = { id: "m-1", name: "recall_memories", tool_call_id: "call_1_0" } as const;
    const content = JSON.stringify(set);
    const fields = { ...given, content, artifact: set, status: "success" } as const;
    const { message } = await callTool(() => new ToolMessage(fields));
    expect(message).toMatchObject({ ...given, status: "success" });
    const response = responseOf({ message });
    expect(message.content).toBe(JSON.stringify(response));
    expect(response.offloaded).toBe(true);
    for (const { id } of set) expect(JSON.stringify(message)).not.toContain(String(id));
  });

  it("29 MUST every field is there at every level, whatever the set's size", async () => {
    for (const detail of DETAILS) {
      for (const count of [40, 200]) {
        const response = responseOf(await call(memories(count, detail), { args: { detail } }));
        expect(Object.keys(response)).toEqual(RESPONSE_FIELDS);
        expect(Object.keys(response.summary)).toEqual(SUMMARY_FIELDS);
      }
    }
  });

  it("30 the fields say what the set holds: count, commonest namespaces, scores, schema", async () => {
    // Two namespaces more, both rarer than the five.
    const set = memories(200, "full").map((memory, index) =>
      index % 50 === 0 ? { ...memory, namespace: `_rare/${index % 100}` } : memory,
    );
    const hits = set.map((memory, index) => ({ memory, score: index / 200 }));
    const options = { toolName: "search_memories", args: { detail: "full" } };
    const counts = new Map<unknown, number>();
    for (const { namespace } of set) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    const ranked = [...counts].toSorted((one, other) => other[1] - one[1]).map(([name]) => name);
    expect(ranked.length).toBeGreaterThan(5);
    const scored = set.map((memory, index) => ({ ...memory, score: index / 200 }));
    const sets = [
      [set, null],
      [hits, [0, 0.995]],
      [scored, [0, 0.995]],
    ] as const;
    for (const [given, range] of sets) {
      const called = await call(given, options);
      const [header = "", ...lines] = linesOf(called);
      const response = responseOf(called);
      expect(response).toMatchObject({ offloaded: true, file_path: artifactOf(called).filePath });
      expect(response.summary).toEqual({
        count: 200,
        estimated_tokens: JSON.parse(header).estimated_tokens,
        operation: "search",
        top_namespaces: ranked.slice(0, 5),
        score_range: range,
        detail: "full",
      });
      // Scores are in the range and in no line.
      expect(lines).toEqual(set.map((memory) => JSON.stringify(memory)));
      const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
        response.line_schema,
      );
      for (const line of lines) {
        validate(JSON.parse(line));
        expect(validate.errors).toBeNull();
      }
      expect(validate({ ...set[0], title: 1 })).toBe(false);
      expect(validate({ title: "without an id" })).toBe(false);
      for (const recipe of response.jq_recipes) {
        expect(Object.keys(recipe)).toEqual(["description", "command"]);
        expect(recipe.command).toContain(response.file_path);
      }
    }
  });
});
