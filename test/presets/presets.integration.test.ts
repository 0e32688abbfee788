import { describe, expect, it } from "vitest";
import { openedOffloaders } from "../opened-offloaders.js";
import { mcpagent, metaCc, vectara, atlatl, lro } from "../../src/presets/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { eventsOf, talk, type Talk } from "./promises/rig.js";

const open = openedOffloaders();

describe("one agent with several presets", () => {
  const rows = Array.from({ length: 1200 }, (_, id) => ({
    id,
    city: ["Rome", "Oslo", "Lima"][id % 3],
    note: `visit ${id * 7919}`,
  }));
  const value = JSON.stringify(rows);

  const defaults = ["read_tool_output", "grep_tool_output", "jq_tool_output", "sql_tool_output"];
  const perTool = {
    search: { preset: vectara({ onWarning: () => {}, maxBytes: 8192 }) },
    query: { preset: metaCc() },
    list: { preset: mcpagent() },
  };

  it("gives each tool its own design, and all of them the agent's own drill-in tools", async () => {
    const { offloader } = open({ perTool });
    const told = async (toolName: string): Promise<string> =>
      (await offloader.offload({ toolName, value, sessionId: "t" })).text ?? "";
    const tools = offloader.tools("t");
    const ask = async (name: string, args: object): Promise<string> =>
      (await tools.find((one) => one.name === name)?.run(args))?.text ?? "";
    expect(tools.map(({ name }) => name)).toEqual(defaults);

    const envelope = JSON.parse(await told("search"));
    expect(envelope.shape).toBe("array(1200) of {id: number, city: string, note: string}");
    expect(defaults).toEqual(expect.arrayContaining(Object.keys(envelope.how_to_access)));
    const count = { id: envelope.artifact_id, filter: "length" };
    expect(await ask("jq_tool_output", count)).toContain("1200");

    const reference = JSON.parse(await told("query"));
    expect(reference).toMatchObject({ mode: "file_ref", file_ref: { line_count: 1200 } });
    const sum = { id: reference.file_ref.path, filter: "map(.id) | add", slurp: true };
    expect(await ask("jq_tool_output", sum)).toContain(String((1199 * 1200) / 2));

    const preview = await told("list");
    expect(preview).toContain("- read_tool_output(id, start, end): characters");
    expect(preview).toContain("- grep_tool_output(id, pattern, ignore_case, max_results)");
    expect(preview).not.toMatch(/_large_output|artifact_(?:read|grep|jq)|case_sensitive/);
    const id = /filename (\S+) with/.exec(preview)?.[1];
    expect(await ask("read_tool_output", { id, start: 0, end: 12 })).toContain(value.slice(0, 12));
  });
});

describe("a document with two sets, as each preset has it", () => {
  const orders = Array.from({ length: 900 }, (_, id) => ({ id, customer: `customer ${id % 9}` }));
  const refunds = Array.from({ length: 499 }, (_, id) => ({ refund: id, amount: id }));

  it.each(Object.entries({ atlatl, lro, mcpagent, metaCc, vectara }))(
    "%s names both with their counts, and they are within reach",
    async (_, preset) => {
      const drillIn = { sql: {}, timeoutMs: 60_000 };
      const { offloader } = open({ preset: preset(), drillIn });
      const { text, storedArtifact } = await offloader.put({ orders, refunds }, { sessionId: "s" });
      for (const part of ["orders", "900", "refunds", "499"]) expect(text).toContain(part);
      const { id, sessionKey } = storedArtifact;
      const run = async (tool: "jq" | "grep" | "sql", args: object): Promise<string> =>
        (await offloader.drillIn.run(tool, { id, ...args }, { sessionKey })).text;
      expect(await run("jq", { filter: ".refunds | length" })).toMatch(/^499\n/);
      expect(await run("grep", { pattern: '"refund": ?498' })).toMatch(/^1 matching line[.,]/);
      const counted = await run("sql", { query: "SELECT count(*) FROM refunds" });
      expect(counted.split("\n")[1]).toBe("499");
    },
  );

  it("has recipes over the set of memories in atlatl", async () => {
    const { offloader } = open({ preset: atlatl(), drillIn: { sql: false } });
    const same = { namespace: "n", memory_type: "semantic", content: "abc ".repeat(20) };
    const memories = Array.from({ length: 300 }, (_, id) => {
      return { id: `m${id}`, title: `t ${id}`, ...same, provenance: { confidence: id / 300 } };
    });
    const value = { memories, notes: "n".repeat(5000) };
    const given = { sessionId: "s", toolName: "recall_memories", value };
    const { text = "" } = await offloader.offload(given);
    expect(text).toContain(".memories | sort_by");
    expect(text).toContain(".memories[] | ");
  });

  it("has the fields of both in metaCc, and no counts of the values in one", async () => {
    const { offloader } = open({ preset: metaCc() });
    const paid = orders.map((order) => ({ ...order, status: order.id % 3 ? "paid" : "open" }));
    const { text } = await offloader.put({ orders: paid, refunds }, { sessionId: "s" });
    const summary = { total_records: 1_399, records_by_path: { orders: 900, refunds: 499 } };
    expect(JSON.parse(text).file_ref).toMatchObject({
      fields: ["id", "customer", "status", "refund", "amount"],
    });
    expect(JSON.parse(text)).toHaveProperty("file_ref.summary", summary);
    const long = "segment".repeat(12);
    const alike = { [`${long}1`]: paid, [`${long}2`]: refunds };
    const stored = await offloader.put(alike, { sessionId: "s" });
    const { records_by_path: counts } = JSON.parse(stored.text).file_ref.summary;
    expect(Object.values(counts)).toEqual([900, 499]);
  });
});

it.each([
  ["rows", `id,name\n${"1,a name\n".repeat(900)}`, true],
  ["an array", Array.from({ length: 900 }, () => ({ id: 1, name: "a name" })), false],
])("mcpagent says of %s what a jq query runs on", async (_, value, isEach) => {
  const { offloader } = open({ preset: mcpagent({ thresholdTokens: 100 }) });
  const { text } = await offloader.offload({ toolName: "search", value, sessionId: "s" });
  expect(text?.includes("each record; [inputs] has all")).toBe(isEach);
});

describe("memories by lro", () => {
  async function ask(value: unknown): Promise<Talk> {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const options = { preset: lro(), store: memoryStore() };
    const agent = { options, tools: { recall_memories: () => text } };
    return await talk(agent, [[["recall_memories", { detail: "full" }]]]);
  }

  it("what characters / 4 would have decided stands in the event, either way", async () => {
    // Prose of long words: fewer tokens than characters / 4. Numbers: more.
    const prose = [{ id: "1", text: "international organization responsibility ".repeat(190) }];
    const kept = eventsOf(await ask(prose), "kept-inline");
    expect(kept).toHaveLength(1);
    expect(kept[0]?.tokens).toBeLessThanOrEqual(1_600);
    expect(kept[0]?.byCharacters).toEqual({ tokens: expect.any(Number), offloads: true });
    const digits = Array.from({ length: 320 }, (_, id) => ({ n: 123_456_789_012 + id * 7_919 }));
    const [offloaded] = eventsOf(await ask(digits), "offloaded");
    expect(offloaded?.byCharacters).toEqual({ tokens: expect.any(Number), offloads: false });
    expect(offloaded?.storedArtifact.tokens).toBeGreaterThan(1_600);
    // Over the threshold by its tokens only, and within that of texts.
    const text = "7 ".repeat(2_000);
    const told = await ask(text);
    expect(told.answers).toEqual([text]);
    expect(eventsOf(told, "kept-inline")).toEqual([]);
  });
});
