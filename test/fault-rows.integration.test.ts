import { ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import * as z from "zod";

import { aging } from "../src/adapters/langchain/aging/index.js";
import { memoryStore } from "../src/index.js";
import { lro } from "../src/presets/index.js";
import type { ScriptedTurn } from "../src/testing/scripted-model.js";
import { agentOf, calling, thread, toolNamed } from "./adapters/agents.js";
import { listRows, receiver, rows } from "./adapters/receiving-tool.js";
import { openedOffloaders } from "./opened-offloaders.js";
import { referring } from "./referring.js";

const opened = openedOffloaders();
const question = { messages: "go" };

it("R6: a tool gets an aged result of text blocks by reference as its text", async () => {
  const text = "one line of a report\n".repeat(4_000);
  const report = toolNamed("report", (_, { toolCall }) => {
    const content = [{ type: "text", text }];
    return new ToolMessage({ content, tool_call_id: toolCall?.id ?? "", name: "report" });
  });
  const { given, sendReport } = receiver(z.object({ rows: z.string() }));
  const { plugins = [], perTool = {} } = referring({ send_report: true });
  const { offloader } = opened({
    threshold: { tokens: 90_000 },
    plugins: [...plugins, aging({ trigger: { tokens: 10_000 }, keep: { results: 0 } })],
    perTool,
  });
  const pass: ScriptedTurn = (messages) => {
    const aged = messages.find((one) => one.text.startsWith("[aged"))?.text ?? "";
    const id = /read_tool_output\("([^"]+)"\)/.exec(aged)?.[1];
    return calling("send_report", { rows: { $output: id } });
  };
  const small = toolNamed("small", () => "ok");
  const turns = [calling("report"), calling("small"), calling("small"), pass];
  await agentOf(turns, [report, small, sendReport], { offloader }).invoke(question, thread("t"));
  expect(given).toEqual([{ rows: text }]);
});

it("S13: a recipe that needs a value says so and is not run with its placeholder", async () => {
  const { offloader } = opened({ preset: lro() });
  const memories = rows.slice(0, 400).map(({ id }) => ({
    id: `m${id}`,
    title: `Title ${id}`,
    namespace: "_semantic/decisions",
    content: "words ".repeat(10),
    created: "2026-01-01T00:00:00Z",
  }));
  const output = { toolName: "recall_memories", value: memories, args: {}, sessionId: "s" };
  const result = await offloader.offload(output);
  const { file_path, jq_recipes } = JSON.parse(result.outcome === "offloaded" ? result.text : "");
  const extract = offloader.tools("s").find(({ name }) => name === "lro_extract") ?? expect.fail();
  expect(jq_recipes[2].command).toContain('"keyword"');
  const answer = await extract.run({ file_path, recipe: 3 });
  expect(answer).toMatchObject({ failed: true, text: expect.stringContaining('"keyword"') });
  const found = await extract.run({ file_path, recipe: 3, params: { keyword: "title 399" } });
  expect(found).toMatchObject({ failed: false, foundCount: 1 });
});

it("T5: sums of what is no session are refused", async () => {
  const { offloader } = opened();
  expect(() => offloader.stats({} as never)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
  );
});

it("T9: an event of a failure has the error's name, code and message in JSON", async () => {
  const fault = Object.assign(new Error("no space left"), { code: "ENOSPC" });
  const store = Object.assign(memoryStore(), { put: () => Promise.reject(fault) });
  const { offloader, events } = opened({ store });
  await agentOf([calling("list_rows")], [listRows], { offloader }).invoke(question, thread("t"));
  const error = { name: "Error", code: "ENOSPC", message: "no space left" };
  expect(JSON.parse(JSON.stringify(events))).toContainEqual(expect.objectContaining({ error }));
});
