import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { describe, expect, it, vi } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { mcpagent, type McpagentOptions } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { at, eventsOf, type Step, talk, type Talk, THREAD, words } from "./rig.js";

const makeDirectory = temporaryDirectories();
const results = Array.from({ length: 3_000 }, (_, id) => ({
  id,
  status: id % 2 ? "active" : "idle",
  name: `host ${id}`,
}));
const json = JSON.stringify({ results });
const preset = (given: McpagentOptions = {}): OffloadOptions => ({
  preset: mcpagent(given),
  store: memoryStore(),
});
const fileIn = (answers: readonly string[]): string =>
  /exact filename (\S+) with/.exec(at(answers, 0))?.[1] ?? "";

const pathIn = (answers: readonly string[]): string =>
  /saved to file: (.*)/.exec(at(answers, 0))?.[1] ?? "";

async function ask(
  value: unknown,
  steps: readonly Step[] = [[["tavily-search"]]],
  options: OffloadOptions = preset(),
): Promise<Talk> {
  return await talk({ options, tools: { "tavily-search": () => value } }, steps);
}

/** The answers of tools on the file, one call a turn after the search. */
async function askFiles(
  value: unknown,
  ...calls: readonly (readonly [tool: string, args: object])[]
): Promise<readonly string[]> {
  const steps = calls.map(([tool, args]): Step => (answers) => [
    [tool, { filename: fileIn(answers), ...args }],
  ]);
  return (await ask(value, [[["tavily-search"]], ...steps])).answers.slice(1);
}

async function askFile(value: unknown, tool: string, args: object): Promise<string> {
  return at(await askFiles(value, [tool, args]), 0);
}

describe("mcpagent, promise by promise", () => {
  it("1 How It Works 1: every output is checked by counting tokens as tiktoken does", async () => {
    const told = await ask(words(10_000));
    expect(eventsOf(told, "offloaded")[0]?.storedArtifact.tokens).toBe(10_000);
  });

  it("2 How It Works 2 and diagram: from 10,000 tokens on an output is large, below it goes to the model", async () => {
    expect((await ask(words(9_999))).answers[0]).toBe(words(9_999));
    expect(eventsOf(await ask(words(10_000)), "offloaded")).toHaveLength(1);
  });

  it("3 How It Works 2: the full content is saved in tool_output_folder/{session_id}/", async () => {
    const folder = join(await makeDirectory(), "outputs");
    const told = await ask(json, undefined, { preset: mcpagent({ folder }) });
    const path = pathIn(told.answers);
    expect(dirname(path)).toBe(join(folder, sessionKeyOf(THREAD).slice(0, 32)));
    expect(await readFile(path, "utf8")).toBe(json);
  });

  it("4 How It Works 2, Filename Format: files are named tool_YYYYMMDD_HHMMSS_toolname.ext", async () => {
    const name = basename(fileIn((await ask(json)).answers));
    expect(name).toMatch(/^tool_\d{8}_\d{6}_tavily-search_[0-9A-Z]{26}\.json$/);
  });

  it("5 How It Works 3, For LLMs: the message reads Tool output was large and saved to file, with the path", async () => {
    const told = await ask(json);
    expect(at(told.answers, 0)).toMatch(
      /^Tool output was large and saved to file: tool_\d{8}_\d{6}_tavily-search_\w+\.json\n/,
    );
  });

  it("6 How It Works 3: the preview is the first 50% of the threshold, in characters", async () => {
    // A JSON text in a JSON text is stored as the inner one.
    const told = await ask(JSON.stringify(json));
    const shown = /<preview \w+>\n([^]*)\n<\/preview/.exec(at(told.answers, 0))?.[1];
    expect(shown).toBe(json.slice(0, 5_000));
  });

  it("7 How It Works 3: the message has instructions for the virtual tools", async () => {
    const [message = ""] = (await ask(json)).answers;
    expect(message).toContain("- read_large_output(filename, start, end)");
    expect(message).toContain(
      "- search_large_output(filename, pattern, case_sensitive, max_results)",
    );
    expect(message).toContain("- query_large_output(filename, query, compact, raw)");
  });

  it("8 Architecture: the virtual tools are added for the model when an output was replaced", async () => {
    const told = await ask(json, [[["tavily-search"]], [["tavily-search"]]]);
    const all = ["query_large_output", "read_large_output", "search_large_output"];
    expect(told.tools.map((tools) => tools.toSorted())).toEqual([[], all, all]);
    const always = await ask(json, undefined, preset({ showTools: "always" }));
    expect(always.tools[0]?.toSorted()).toEqual(all);
  });

  it("9 read_large_output: start and end are character positions", async () => {
    const answer = await askFile(json, "read_large_output", { start: 12, end: 40 });
    expect(answer.split("\n")[1]).toBe(json.slice(12, 40));
  });

  it("10 read_large_output: its example, start 0 and end 5000, comes in one answer", async () => {
    const answer = await askFile(json, "read_large_output", { start: 0, end: 5_000 });
    expect(answer).toContain(json.slice(0, 5_000));
  });

  it("11 search_large_output: a regex over the file, case_sensitive as asked, at most max_results", async () => {
    const log = "all good\nERROR one\nerror two\nFATAL three\n".repeat(2_000);
    const search = { pattern: "ERROR|FATAL", case_sensitive: false, max_results: 50 };
    const answer = await askFile(log, "search_large_output", search);
    expect(answer).toContain("6,000 matching lines");
    expect(answer.match(/^\d+:/gm)).toHaveLength(50);
    const exact = await askFile(log, "search_large_output", { ...search, case_sensitive: true });
    expect(exact).toContain("4,000 matching lines");
  });

  it("12 query_large_output: its example selects by a field of the document", async () => {
    const query = '.results[] | select(.status == "active") | .name';
    expect(await askFile(json, "query_large_output", { query })).toMatch(/^"host 1"\n"host 3"\n/);
  });

  it("13 query_large_output: compact prints one line, raw prints strings without JSON", async () => {
    const query = ".results[1]";
    const printed = await askFile(json, "query_large_output", { query });
    expect(printed).toContain('{\n  "id": 1,\n');
    const compact = await askFile(json, "query_large_output", { query, compact: true });
    expect(compact).toContain('{"id":1,"status":"active","name":"host 1"}');
    const raw = await askFile(json, "query_large_output", { query: ".results[1].name", raw: true });
    expect(raw).toMatch(/^host 1\n/);
  });

  it("14 Configuration: WithLargeOutputVirtualTools(false) leaves every output inline", async () => {
    const told = await ask(json, undefined, preset({ enabled: false }));
    expect(told.answers[0]).toBe(json);
    expect(told.tools[0]).toEqual([]);
  });

  it("15 Configuration: WithLargeOutputThreshold is in tokens", async () => {
    const options = preset({ thresholdTokens: 500 });
    expect((await ask(words(499), undefined, options)).answers[0]).toBe(words(499));
    expect(eventsOf(await ask(words(500), undefined, options), "offloaded")).toHaveLength(1);
  });

  it("16 Configuration: WithToolOutputFolder is the directory, tool_output_folder by default", async () => {
    expect(mcpagent().store?.name).toBe("file");
    const folder = await makeDirectory();
    const told = await ask(json, undefined, { preset: mcpagent({ folder }) });
    expect(told.messages[0]?.artifact.filePath.startsWith(folder)).toBe(true);
  });

  it("17 Common Issues: a wrong filename is answered with the names that there are", async () => {
    const filename = "tool_20250727_093045_tavily-search.json";
    const told = await ask(json, [[["tavily-search"]], [["read_large_output", { filename }]]]);
    expect(at(told.answers, 1)).toContain(fileIn(told.answers));
    expect(told.messages[1]?.status).toBe("error");
  });

  it("18 Common Issues: the full path is taken too", async () => {
    const folder = await makeDirectory();
    const read: Step = (answers) => [
      ["read_large_output", { filename: pathIn(answers), start: 0, end: 12 }],
    ];
    const told = await ask(json, [[["tavily-search"]], read], { preset: mcpagent({ folder }) });
    expect(at(told.answers, 1)).toContain('{"results":[');
  });

  it("19 Common Patterns 1: start=0, end=10000 comes in one answer, and the next ten thousand in another", async () => {
    // 10,000 characters of it are some 3,400 tokens, and of the Chinese text some 7,000.
    for (const value of [json, "漢字仮名交文也".repeat(6_000)]) {
      const [first, second] = await askFiles(
        value,
        ["read_large_output", { start: 0, end: 10_000 }],
        ["read_large_output", { start: 10_000, end: 20_000 }],
      );
      expect(first).toContain(value.slice(0, 10_000));
      expect(second).toContain(value.slice(10_000, 20_000));
    }
  });

  it("20 Common Patterns 2: a search gives places from which read_large_output goes on", async () => {
    const log = `${"all good\n".repeat(4_000)}ERROR here\n${"all good\n".repeat(4_000)}`;
    const [found, read] = await askFiles(
      log,
      ["search_large_output", { pattern: "ERROR" }],
      ["read_large_output", { start: 36_000, end: 36_010 }],
    );
    expect(found).toContain("4001:ERROR here");
    expect(read).toContain("ERROR here");
  });

  async function expectAnswers(): Promise<void> {
    const counts = ["query_large_output", { query: ".results | length" }] as const;
    const finds = ["search_large_output", { pattern: "host 2999\\b" }] as const;
    const [counted, found] = await askFiles(json, counts, finds);
    expect(counted).toMatch(/^3000\n/);
    expect(found).toContain("host 2999");
  }

  it("21 Constraints: any file of the session may be read, in sequence, by different tools", () =>
    expectAnswers());

  it("22 Constraints, Path Validation: ../ and files outside of the folder are refused", async () => {
    const folder = join(await makeDirectory(), "out");
    const names = ["../../etc/passwd", "/etc/passwd", `${folder}2/a.json`];
    const reads = names.map((filename) => ["read_large_output", { filename }] as const);
    const steps = [[["tavily-search"]], reads] as const;
    const told = await ask(json, steps, { preset: mcpagent({ folder }) });
    for (const answer of told.answers.slice(1))
      expect(answer).toMatch(/^No stored output has this id or name\./);
  });

  it("23 Command Injection Prevention: no pattern and no query reaches a shell", async () => {
    const pattern = "$(touch injected); `id` | rm -rf";
    const answer = await askFile(json, "search_large_output", { pattern });
    expect(answer).toMatch(/^(?:No line matches|0 matching|The pattern)/);
    const query = '"; touch injected; "';
    expect(await askFile(json, "query_large_output", { query })).toContain("touch injected");
    await expect(readFile("injected")).rejects.toThrow("ENOENT");
  });

  it("24 Common Issues: neither rg nor jq has to be installed", async () => {
    vi.stubEnv("PATH", "");
    await expectAnswers().finally(() => vi.unstubAllEnvs());
  });
});
