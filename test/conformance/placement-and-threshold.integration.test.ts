import { readdirSync } from "node:fs";

import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { fileStore } from "../../src/core/store/file/index.js";
import { toolNamed } from "../adapters/agents.js";
import { newDirectory } from "../after-file.js";
import {
  artifactOf,
  call,
  callGiven,
  callTool,
  DETAILS,
  headerOf,
  linesOf,
  memories,
  memoriesOf,
  newOffloader,
  responseOf,
} from "./offload-call.js";

const CHARACTERS = { tokenizer: "characters" } as const;
const TOOLS = ["recall_memories", "inject_context", "list_memories", "search_memories"];

describe("scope and placement", () => {
  it("1 recall, inject, list and search are offloaded under the specification's names", async () => {
    for (const toolName of TOOLS) {
      const called = await call(memories(), { toolName });
      const [operation] = toolName.split("_");
      expect(responseOf(called)).toMatchObject({ offloaded: true, summary: { operation } });
    }
  });

  it("3 MUST NOT the tool change while its results leave: name, schema, and what it returns", async () => {
    const returned = new ToolMessage({
      content: JSON.stringify(memories()),
      tool_call_id: "call_1_0",
      name: "recall_memories",
    });
    const schema = z.object({ query: z.string().optional() });
    const subject = toolNamed("recall_memories", () => returned, schema);
    const fields = (): unknown[] => [Object.entries(subject), Object.entries(returned)];
    const before = fields();
    expect(responseOf(await callGiven(subject)).offloaded).toBe(true);
    expect(fields()).toEqual(before);
    expect(await subject.invoke({})).toBe(returned);
    expect(returned.text).toBe(JSON.stringify(memories()));
  });

  it("4 what reaches the conversation is the descriptor; the result set is in no message", async () => {
    const set = memories();
    const { message } = await call(set);
    expect(message.text).toContain('"offloaded":true');
    expect(JSON.stringify(message)).not.toContain(String(set[41]?.["id"]));
  });

  it("6 the complete set is offloaded, whatever page was asked for", async () => {
    const set = memories(500);
    const page = { limit: 20, offset: 0 };
    const called = await call(set, { args: page });
    expect(linesOf(called).slice(1)).toEqual(set.map((memory) => JSON.stringify(memory)));
    expect(responseOf(called).summary["count"]).toBe(500);
    expect(called.message.text).not.toMatch(/cursor|next_page|"complete"/);
    expect(linesOf(called)[0]).not.toContain("cursor");
  });

  it("7 MUST NOT a page pass for the set: its descriptor says that there is more, and where", async () => {
    const page = { memories: memories(), next_cursor: "c-2" };
    for (const form of ["auto", "generic", "bare"] as const) {
      const { offloaded, summary } = responseOf(await call(page, { describe: { form } }));
      expect(offloaded).toBe(true);
      expect(summary).toMatchObject({
        complete: false,
        next_page: { tool: "recall_memories", cursor_at: "next_cursor", cursor: "c-2" },
      });
    }
    const last = await call({ ...page, next_cursor: null });
    expect(responseOf(last).offloaded).toBe(true);
    expect(last.message.text).not.toContain("cursor");
  });

  it("8 a small page keeps its cursor, and so does a large one when offloading is off", async () => {
    const page = JSON.stringify({ memories: memories(2), next_cursor: "c-2" });
    expect((await call(page)).message.content).toBe(page);
    const large = JSON.stringify({ memories: memories(60), next_cursor: "c-2" });
    expect((await call(large, { enabled: false })).message.content).toBe(large);
  });
});

describe("threshold", () => {
  it("9 the threshold is 1,600 tokens for the sets of every tool, and one option moves it for all", async () => {
    for (const toolName of ["recall_memories", "search_issues"]) {
      const options = { ...CHARACTERS, toolName };
      expect((await call(memoriesOf(4 * 1600), options)).message.artifact).toBeUndefined();
      expect(artifactOf(await call(memoriesOf(4 * 1600 + 1), options)).tokens).toBe(1601);
      const low = { ...options, threshold: { tokens: 1599 } };
      expect(artifactOf(await call(memoriesOf(4 * 1600), low)).tokens).toBe(1600);
    }
  });

  it("10 MUST Latin text counts characters / 4, with code points as characters", async () => {
    const text = memoriesOf(8000);
    expect(artifactOf(await call(text, CHARACTERS)).tokens).toBe(2000);
    const accents = text.replaceAll("x", "é");
    expect(artifactOf(await call(accents, CHARACTERS)).tokens).toBe(2000);
  });

  it("11 RECOMMENDED a tokenizer counts CJK text, of which characters / 4 see a quarter", async () => {
    const text = memoriesOf(9000).replaceAll("x", "索");
    const byTokenizer = artifactOf(await call(text)).tokens;
    const byCharacters = artifactOf(await call(text, CHARACTERS)).tokens;
    expect(byTokenizer).toBeGreaterThan(byCharacters);
  });

  it("12 nothing is written or described before the tool has answered", async () => {
    const directory = newDirectory();
    let filesMeanwhile: readonly string[] | undefined;
    const answer = (): string => {
      filesMeanwhile = readdirSync(directory);
      return JSON.stringify(memories());
    };
    const called = await callTool(answer, { store: fileStore({ directory }) });
    expect(filesMeanwhile).toEqual([]);
    expect(readdirSync(directory)).toContain(artifactOf(called).fileName);
  });

  it("13 MUST the tool runs once with its own arguments, and its errors of up to 8,000 characters pass untouched", async () => {
    let runs = 0;
    const args = { query: "cache", limit: 500 };
    const answer = (): string => {
      runs += 1;
      return JSON.stringify(memories());
    };
    const called = await callTool(answer, { args });
    expect(runs).toBe(1);
    expect(artifactOf(called).args).toEqual(args);
    const failed = new ToolMessage({
      content: JSON.stringify(memories()).slice(0, 8_000),
      status: "error",
      tool_call_id: "call_1_0",
      name: "recall_memories",
    });
    const { message, events } = await callTool(() => failed, { threshold: { tokens: 100 } });
    expect(message).toMatchObject({ status: "error", content: failed.content });
    expect(events.filter(({ type }) => type === "offloaded")).toEqual([]);
  });

  it("14 MUST the estimate is that of the whole set at its detail level", async () => {
    for (const detail of DETAILS) {
      const text = JSON.stringify(memories(100, detail));
      const called = await call(text, { ...CHARACTERS, args: { detail } });
      const estimated = Math.ceil(text.length / 4);
      expect(headerOf(called)).toMatchObject({ estimated_tokens: estimated, detail });
      expect(responseOf(called).summary).toMatchObject({ estimated_tokens: estimated, detail });
    }
  });

  it("15 MUST an estimate over the threshold writes JSON lines and returns an OffloadResponse", async () => {
    const called = await call(memoriesOf(4 * 1600 + 1), CHARACTERS);
    expect(artifactOf(called).tokens).toBe(1601);
    expect(linesOf(called)).toHaveLength(17);
    expect(responseOf(called).offloaded).toBe(true);
  });

  it("16 MUST an estimate of exactly the threshold stays inline, the same value", async () => {
    const text = memoriesOf(4 * 1600);
    expect((await call(text, CHARACTERS)).message.content).toBe(text);
    const value = memories(3);
    const output = { toolName: "recall_memories", value, sessionId: "s" };
    const walked = await newOffloader().offload(output);
    expect(walked.outcome === "inline" && walked.value === value).toBe(true);
  });

  it("17 MUST the total is judged: one large memory stays inline, many small ones do not", async () => {
    const [first] = memories(1, "medium");
    const large = JSON.stringify([{ ...first, content: "x".repeat(6000) }]);
    expect((await call(large, CHARACTERS)).message.content).toBe(large);
    const small = memories(60);
    expect(Math.max(...small.map((memory) => JSON.stringify(memory).length))).toBeLessThan(600);
    expect(responseOf(await call(small, CHARACTERS)).offloaded).toBe(true);
  });
});

describe("detail level", () => {
  it("18 MUST the file holds the memories at the level that the call names", async () => {
    for (const detail of DETAILS) {
      const set = memories(60, detail);
      const called = await call(set, { args: { detail } });
      expect(headerOf(called)["detail"]).toBe(detail);
      const stored = linesOf(called).slice(1);
      expect(stored).toEqual(set.map((memory) => JSON.stringify(memory)));
    }
  });

  it("19 without a level in the call, recall is light and inject is medium, whatever the fields", async () => {
    for (const toolName of TOOLS) {
      const detail = toolName === "inject_context" ? "medium" : "light";
      const called = await call(memories(60, "full"), { toolName });
      expect(headerOf(called)["detail"]).toBe(detail);
      expect(responseOf(called).summary["detail"]).toBe(detail);
    }
  });

  it("20 SHOULD the guidance names the level", async () => {
    for (const detail of DETAILS) {
      // With room for the template, and without.
      for (const maxTokens of [3000, 1300]) {
        const options = { args: { detail }, describe: { maxTokens } };
        const { guidance } = responseOf(await call(memories(60, detail), options));
        expect(guidance).toContain(`Detail level: ${detail}`);
      }
    }
  });
});
