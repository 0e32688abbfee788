import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Offloader, resultText } from "../../../src/core.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const offloaderWith = openedOffloaders();

const output = (value: unknown, toolName = "search"): ToolOutput => ({
  toolName,
  value,
  toolCallId: "call_1",
  args: { query: "all" },
  sessionId: "s1",
});

const records = (count: number): { id: number; name: string; kind: string }[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${id}`,
    kind: id % 3 === 0 ? "a" : "b",
  }));

describe("what is left alone", () => {
  const large = JSON.stringify(records(5000));

  it.each<[string, OffloadOptions, string, unknown]>([
    ["everything when switched off", { enabled: false }, "search", large],
    ["an excluded tool", { exclude: ["search"] }, "search", large],
    ["a drill-in tool", {}, "jq_tool_output", large],
    ["an empty string", {}, "search", ""],
    ["nothing at all", {}, "search", undefined],
    ["an empty list", {}, "search", []],
  ])("%s", async (_, options, toolName, value) => {
    const { offloader, events } = offloaderWith(options);
    const result = await offloader.offload(output(value, toolName));
    expect(result.outcome === "inline" && result.value).toBe(value);
    expect(events).toEqual([]);
  });
});

describe("an offloaded output", () => {
  it("R5: keeps something of every set where the store fails, and no empty one", async () => {
    const store = { ...memoryStore(), put: () => Promise.reject(new Error("the disk is full")) };
    const { offloader } = offloaderWith({ store });
    const refunds = Object.fromEntries(records(500).map((one, index) => [`r${index}`, one]));
    for (const value of [
      { orders: records(600), refunds: records(500) },
      { orders: records(600), refunds },
    ]) {
      const result = await offloader.offload(output(value));
      const text = result.outcome === "truncated" ? result.text : "";
      expect(text).toContain('{"orders":[{');
      expect(text.trimEnd()).toMatch(/\}[\]}]\}$/);
      expect(text).not.toMatch(/"(?:orders|refunds)":(?:\[\]|\{\}|"object of 0)/);
      expect(text).toMatch(/\d+ of \d+ bytes are missing/);
    }
  });
});

describe("properties", () => {
  it("arbitrary text is kept byte for byte, or as the records that it is", async () => {
    const store = memoryStore({ maxBytes: 1e9 });
    const { offloader } = offloaderWith({ threshold: { tokens: 0 }, store });
    const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 2000 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const result = await offloader.offload(output(text));
        if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
        const { id, sessionKey, layout, sizeBytes } = result.storedArtifact;
        const body = Buffer.from(await store.read(result.storedArtifact)).toString("utf8");
        if (layout === "text") expect(body).toBe(text);
        expect((await store.stat(id, sessionKey))?.sizeBytes).toBe(sizeBytes);
      }),
      { numRuns: 37 },
    );
  });
});

const opened = openedOffloaders();

const rows = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 4 ? "open" : "paid" }));
const sessionId = "conversation-1";

async function stored() {
  const { offloader } = opened();
  const result = await offloader.offload({ toolName: "list_orders", value: rows, sessionId });
  if (result.outcome !== "offloaded") throw new Error("It stayed.");
  return { offloader, result, id: result.storedArtifact.id };
}

function tool(tools: ReturnType<Offloader["tools"]>, name: string) {
  const found = tools.find((one) => one.name === name);
  if (found === undefined) throw new Error(`No ${name}.`);
  return found;
}

describe("the tools of an offloader", () => {
  it("answers the model's calls over what its session stored, as an object or as JSON", async () => {
    const { offloader, id } = await stored();
    const jq = tool(offloader.tools(sessionId), "jq_tool_output");
    const args = { id, filter: "length", slurp: true };
    const answer = await jq.run(args);
    expect(answer).toMatchObject({ failed: false });
    expect(answer.text).toMatch(/^500\n/);
    expect(await jq.run(JSON.stringify(args))).toEqual(answer);
    expect(jq.parameters).toMatchObject({ type: "object", required: ["id", "filter"] });
  });
});

describe("resultText", () => {
  it("is the text or the JSON of what stays, and what stands for what does not", async () => {
    const { offloader, result } = await stored();
    const shown = async (value: unknown) =>
      resultText(await offloader.offload({ toolName: "small", value, sessionId }));
    expect(resultText(result)).toBe(result.text);
    expect(await shown("a text")).toBe("a text");
    expect(await shown({ n: 1 })).toBe('{"n":1}');
    expect(await shown([{ type: "text", text: "of a block" }])).toBe("of a block");
    expect(await shown(undefined)).toBe("undefined");
  });
});
