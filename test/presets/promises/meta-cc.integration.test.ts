import { mkdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { metaCc, type MetaCcOptions } from "../../../src/presets/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { at, eventsOf, type Step, talk, type Talk } from "./rig.js";

const makeDirectory = temporaryDirectories();
const records = Array.from({ length: 1_500 }, (_, index) => ({
  tool: ["Bash", "Read", "Grep"][index % 3],
  status: index % 10 < 3 ? "error" : "success",
  timestamp: `2026-01-01T00:${String(index % 60).padStart(2, "0")}:00Z`,
  ...(index % 10 < 3 && { error: `failed ${index}` }),
}));
const output = JSON.stringify(records);
const errors = JSON.stringify(records.filter(({ status }) => status === "error"));
const letters = (bytes: number): string => JSON.stringify("x".repeat(bytes - 2));
const preset = (given: MetaCcOptions = {}): OffloadOptions => ({
  preset: metaCc(given),
  store: memoryStore(),
});

async function ask(
  value: unknown,
  steps: readonly Step[] = [[["query_tools"]]],
  options: OffloadOptions = preset(),
  schema?: z.ZodObject,
): Promise<Talk> {
  const tools = { query_tools: () => value };
  return await talk({ options, tools, ...(schema && { schema }) }, steps);
}

const modeOf = async (value: unknown, options?: OffloadOptions): Promise<string> =>
  JSON.parse(at((await ask(value, undefined, options)).answers, 0)).mode;
const readReference = (answers: readonly string[]) => JSON.parse(at(answers, 0)).file_ref;
const pathIn = (answers: readonly string[]): string => readReference(answers).path;

/** One call of a tool on the file, after the query. */
async function askFile(tool: string, args: object): Promise<string> {
  const told = await ask(output, [
    [["query_tools"]],
    (answers) => [[tool, { id: pathIn(answers), ...args }]],
  ]);
  return at(told.answers, 1);
}

describe("metaCc, promise by promise", () => {
  it("1 Requirements 1: the mode is selected by itself, by the size of the result", async () => {
    expect(await modeOf("[]")).toBe("inline");
    expect(await modeOf(output)).toBe("file_ref");
  });

  it("2 Requirements 2: all data are preserved, nothing is cut or sampled", async () => {
    const { offloader, messages } = await ask(output);
    const body = new TextDecoder().decode(await offloader.store.read(messages[0]?.artifact));
    expect(JSON.parse(`[${body.trimEnd().replaceAll("\n", ",")}]`)).toEqual(records);
  });

  it("3 Mode Selection Logic: 8,192 bytes stay inline, 8,193 leave", async () => {
    expect(await modeOf(letters(8_192))).toBe("inline");
    expect(await modeOf(letters(8_193))).toBe("file_ref");
  });

  it("4 Mode Selection Logic: the parameter inline_threshold_bytes is shown to the model", async () => {
    const schema = z.object({ status: z.string().optional() });
    const { shown } = await ask("[]", undefined, undefined, schema);
    expect(shown["query_tools"]).toMatchObject({
      properties: { status: { type: "string" }, inline_threshold_bytes: { type: "integer" } },
    });
  });

  it("5 Per-Query Override: 16384 for one query, also of a tool with a strict schema, which does not get it", async () => {
    const schema = z.strictObject({ status: z.string() });
    const call = { status: "error", inline_threshold_bytes: 16_384 };
    const told = await ask(letters(16_384), [[["query_tools", call]]], preset(), schema);
    expect(JSON.parse(at(told.answers, 0)).mode).toBe("inline");
    expect(told.given).toEqual([{ status: "error" }]);
    const over = await ask(letters(16_385), [[["query_tools", call]]], preset(), schema);
    expect(JSON.parse(at(over.answers, 0)).mode).toBe("file_ref");
  });

  it("6 Mode Selection Logic: META_CC_INLINE_THRESHOLD sets the threshold", async () => {
    vi.stubEnv("META_CC_INLINE_THRESHOLD", "10000");
    const options = preset();
    vi.unstubAllEnvs();
    expect(await modeOf(letters(10_000), options)).toBe("inline");
    expect(await modeOf(letters(10_001), options)).toBe("file_ref");
  });

  it("7 Inline Mode: {mode: inline, data} with the data in it", async () => {
    const data = [{ tool: "Bash", status: "error" }];
    const [answer = ""] = (await ask(JSON.stringify(data))).answers;
    expect(JSON.parse(answer)).toEqual({ mode: "inline", data });
  });

  it("8 File Reference Mode: path, size_bytes, line_count, fields and summary", async () => {
    const reference = readReference((await ask(output)).answers);
    expect(reference).toMatchObject({
      path: expect.stringMatching(/^meta-cc-mcp-\d+-\w+\.jsonl$/),
      line_count: 1_500,
      fields: ["tool", "status", "timestamp", "error"],
    });
    expect(reference.size_bytes).toBeGreaterThan(100_000);
  });

  it("9 File Reference Mode: summary has total_records, error_count and success_count", async () => {
    const { summary } = readReference((await ask(output)).answers);
    const counts = { total_records: 1_500, error_count: 450, success_count: 1_050 };
    expect(summary).toMatchObject(counts);
  });

  it("10 Problem Statement 3: query_tools(status=error) with 450 errors has error_count", async () => {
    const told = await ask(errors, [[["query_tools", { status: "error" }]]]);
    const { summary } = readReference(told.answers);
    expect(summary).toMatchObject({ total_records: 450, error_count: 450 });
  });

  it("11 File Reference Mode: the answer holds metadata only", async () => {
    expect(at((await ask(output)).answers, 0)).not.toContain("failed ");
  });

  it("12 Claude Workflow 1: the model is told to analyze the summary first, with the tools that it has", async () => {
    const told = await ask(output);
    const { guidance } = JSON.parse(at(told.answers, 0));
    const tools = "read_tool_output, grep_tool_output, jq_tool_output";
    expect(guidance).toContain(`Analyze summary first, then the file with ${tools}`);
    for (const [name] of guidance.matchAll(/\w+_tool_output/g))
      expect(told.tools[0]).toContain(name);
    const without = await ask(output, undefined, { ...preset(), drillIn: false });
    expect(JSON.parse(at(without.answers, 0)).guidance).not.toMatch(/_tool_output/);
  });

  it("13 Claude Workflow 2, Best Practices 4: parts of the file are read selectively", async () => {
    const answer = await askFile("read_tool_output", { start_line: 1, end_line: 10 });
    expect(answer).toContain('"timestamp":"2026-01-01T00:09:00Z"');
    expect(answer).not.toContain('"timestamp":"2026-01-01T00:10:00Z"');
  });

  it("14 Claude Workflow 3: grep finds its pattern on the lines of the file", async () => {
    const answer = await askFile("grep_tool_output", { pattern: '"status":"error"' });
    expect(answer).toContain("450 matching lines");
  });

  it("15 Claude Workflow 4: of its jq example the answer says what to put before it, and that works", async () => {
    const filter = '.[] | select(.status == "error")';
    const wrong = await askFile("jq_tool_output", { filter });
    expect(wrong).toContain("[inputs] | before it");
    const right = await askFile("jq_tool_output", { filter: `[inputs] | ${filter}` });
    expect(right).toContain(" of 450.");
    const slurped = await askFile("jq_tool_output", { filter, slurp: true });
    expect(slurped).toContain(" of 450.");
  });

  it("16 Claude Workflow 5: the model is told not to mention file paths to users", async () => {
    const { guidance } = JSON.parse(at((await ask(output)).answers, 0));
    expect(guidance).toContain("Tell users findings, not file paths.");
  });

  it("17 Temporary File Management: files are named meta-cc-mcp-*.jsonl, one JSON object a line", async () => {
    const directory = await makeDirectory();
    const store = fileStore({ directory });
    const told = await ask(output, undefined, { ...preset(), store });
    const path = pathIn(told.answers);
    expect(path.startsWith(`${directory}/meta-cc-mcp-`)).toBe(true);
    expect((await readFile(path, "utf8")).split("\n")[0]).toBe(JSON.stringify(records[0]));
  });

  it("18 Temporary File Management: files are kept for 7 days and cleaned up by themselves then", async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const now = (): number => nowMs;
    const options = { ...preset(), now, store: memoryStore({ now }) };
    const { offloader, messages } = await ask(output, undefined, options);
    const { id, sessionKey } = messages[0]?.artifact ?? {};
    nowMs += 7 * 24 * 3_600_000 - 1;
    expect(await offloader.store.stat(id, sessionKey)).toBeDefined();
    nowMs += 1;
    expect((await offloader.sweep()).map((artifact) => artifact.id)).toEqual([id]);
  });

  it("19 Temporary File Management: cleanup_temp_files sweeps by hand", async () => {
    const told = await ask(output, [[["query_tools"]], [["cleanup_temp_files"]]]);
    expect(JSON.parse(at(told.answers, 1))).toEqual({ removed_files: 0, removed_bytes: 0 });
  });

  it("20 Flexibility: inline mode can be forced by a threshold that no output reaches", async () => {
    const told = await ask(output, [[["query_tools", { inline_threshold_bytes: 99_999_999 }]]]);
    expect(JSON.parse(at(told.answers, 0))).toEqual({ mode: "inline", data: records });
  });

  it("21 Risks 2: where the directory cannot be written to, the output stays inline", async () => {
    const directory = `${await makeDirectory()}/gone`;
    const put = async (): Promise<never> => await Promise.reject(new Error("EACCES"));
    const store = { ...fileStore({ directory }), put };
    const told = await ask(output, undefined, { ...preset(), store });
    expect(JSON.parse(at(told.answers, 0))).toEqual({ mode: "inline", data: records });
    expect(eventsOf(told, "write-failed")).toHaveLength(1);
  });

  it("22 Risks 3, Troubleshooting: a missing file is warned of, and the model is told to query again", async () => {
    const directory = await makeDirectory();
    mkdirSync(directory, { recursive: true });
    const options = { ...preset(), store: fileStore({ directory }) };
    const lookUp: Step = (answers) => {
      rmSync(pathIn(answers));
      return [["jq_tool_output", { id: pathIn(answers), filter: "length" }]];
    };
    const told = await ask(output, [[["query_tools", { status: "any" }]], lookUp], options);
    expect(at(told.answers, 1)).toMatch(
      /was deleted before its time\..*call the tool query_tools again with the same arguments: \{"status":"any"\}/,
    );
    expect(eventsOf(told, "missing").map(({ storedArtifact }) => storedArtifact.id)).toEqual([
      told.messages[0]?.artifact.id,
    ]);
  });

  it("23 Implementation: all tools of the agent take part", async () => {
    const tools = { query_tools: () => output, get_stats: () => errors };
    const steps = [[["query_tools"], ["get_stats"]]] as const;
    const { answers } = await talk({ options: preset(), tools }, steps);
    expect(answers.map((answer) => JSON.parse(answer).mode)).toEqual(["file_ref", "file_ref"]);
  });
});
