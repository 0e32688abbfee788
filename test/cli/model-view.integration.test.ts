import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { typedCall } from "../../src/cli/model-view.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { runHere } from "./run-command.js";

const makeDirectory = temporaryDirectories();

const records = Array.from({ length: 400 }, (_, n) => ({ n, state: n % 4 ? "open" : "closed" }));
const text = JSON.stringify(records);

async function recordsFile(): Promise<string> {
  const path = join(await makeDirectory(), "my issues.json");
  await writeFile(path, text);
  return path;
}

/** Folders of seats that are still there. */
function seats(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("seat-"));
}

describe("describe", () => {
  it("prints what a model sees of a file, and its tokens beside those of the file", async () => {
    const { code, stdout, stderr } = await runHere(["describe", await recordsFile()]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      offloaded: true,
      summary: { count: 400, operation: "my_issues" },
    });
    expect(stderr).toMatch(/^my_issues: \d+ tokens in place of \d,\d{3} \(offloaded\)\.\n$/);
  });
});

describe("try", () => {
  it("shows the slot and answers calls as a model's tools would, tokens counted", async () => {
    const before = seats();
    const { code, stdout } = await runHere(["try", await recordsFile()], {
      stdin:
        'jq_tool_output {"filter": "select(.n == 7) | .state"}\nread_tool_output {"id": "none"}\nnothing\n\nexit\n',
    });
    expect(code).toBe(0);
    expect(stdout).toContain('"offloaded":true');
    expect(stdout).toContain('"name":"jq_tool_output"');
    expect(stdout).toContain('"open"\n1 result');
    // What a model would be told of an id that there is not.
    expect(stdout).toContain("No stored output has this id");
    expect(stdout).toContain("Write one of read_tool_output");
    // Of the output and of two answers; each adds to what stands in the context.
    const figures = [...stdout.matchAll(/^\[([\d,]+) tokens, ([\d,]+) in the context\]$/gm)];
    const [seen, , last] = figures.map((one) =>
      one.slice(1).map((n) => Number(n.replace(",", ""))),
    );
    expect(figures).toHaveLength(3);
    expect(last?.[1]).toBeGreaterThan((seen?.[1] ?? 0) + (last?.[0] ?? 0));
    expect(seats()).toEqual(before);
  });
});

describe("a typed call", () => {
  const tools = [
    { name: "jq_tool_output", parameters: { required: ["id", "filter"] } },
    { name: "read_tool_output", parameters: { required: ["id"] } },
    { name: "cleanup_files", parameters: {} },
  ];

  it.each([
    ['jq_tool_output {"filter": "."}', { tool: "jq_tool_output", args: { id: "X", filter: "." } }],
    ['read_tool_output {"id": "Y"}', { tool: "read_tool_output", args: { id: "Y" } }],
    ["cleanup_files {}", { tool: "cleanup_files", args: {} }],
    ["jq .", { problem: expect.stringContaining("as a JSON object") }],
  ])("means for %s", (line, meant) => {
    expect(typedCall(line, tools, "X")).toEqual(meant);
  });
});
