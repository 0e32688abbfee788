import { describe, expect, it } from "vitest";

import { openedOffloaders } from "../opened-offloaders.js";
import { mcpagent, metaCc, vectara } from "../../src/presets/index.js";

const open = openedOffloaders();
const rows = Array.from({ length: 1200 }, (_, id) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  note: `visit ${id * 7919}`,
}));
const value = JSON.stringify(rows);

describe("one agent with several presets", () => {
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
