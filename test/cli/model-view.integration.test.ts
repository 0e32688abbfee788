import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CallableTool, typedCall } from "../../src/cli/typed-call.js";
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
    expect(stderr).toMatch(/^my_issues: \d+ tokens in place of \d,\d{3} \(generic\)\.\n$/);
  });

  it.each([
    [["-", "--preset", "lor"], "There is no preset"],
    [["-", "--form", "short"], "There is no form"],
    [["-", "--form", "full", "--preset", "vectara"], "a form of its own"],
    [["/no/such/file"], "cannot be read"],
    [["/"], "cannot be read"],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { code, stdout, stderr } = await runHere(["describe", ...args], { stdin: text });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });
});

describe("try", () => {
  it("shows the seat and answers calls as a model's tools would, tokens counted", async () => {
    const before = seats();
    const { code, stdout } = await runHere(["try", await recordsFile()], {
      stdin:
        'jq select(.n == 7) | .state\nread_tool_output {"start_line": 1}\nnothing\n\nexit\njq .n\n',
    });
    expect(code).toBe(0);
    expect(stdout).toContain('"offloaded":true');
    expect(stdout).toContain('"name":"jq_tool_output"');
    expect(stdout).toContain('"open"\n1 result');
    // What a model would be told of a call that lacks the id.
    expect(stdout).toContain("Invalid arguments: id");
    expect(stdout).toContain('There is no tool "nothing"');
    expect(stdout.match(/^\[call tokens /gm)).toHaveLength(2);
    expect(seats()).toEqual(before);
  });

  it("speaks JSON to programs, and sums up what a model would have read", async () => {
    const { stdout } = await runHere(["try", await recordsFile(), "--json"], {
      stdin: 'jq .n\nhelp\nwhat\ngrep_tool_output {"id": "x", "pattern": "y"}',
    });
    const [seat, first, help, problem, last] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(seat.outputs[0].outcome).toBe("offloaded");
    expect(seat.context_tokens).toBe(seat.definition_tokens + seat.outputs[0].tokens);
    expect(first).toMatchObject({ failed: false, calls: 1, input_tokens: seat.context_tokens });
    expect(first.context_tokens).toBe(
      seat.context_tokens + first.call_tokens + first.answer_tokens,
    );
    expect(help.tools).toEqual(seat.tools);
    expect(problem.problem).toContain('There is no tool "what"');
    expect(last).toMatchObject({ failed: true, calls: 2 });
    expect(last.input_tokens).toBe(first.input_tokens + first.context_tokens);
  });
});

describe("a typed call", () => {
  const tools: readonly CallableTool[] = [
    { name: "jq_tool_output", parameters: { required: ["id", "filter"] } },
    { name: "read_tool_output", parameters: { required: ["id"] } },
    { name: "cleanup_files", parameters: {} },
  ];

  it.each([
    ["jq .[0] | {a: .b}", { tool: "jq_tool_output", args: { id: "X", filter: ".[0] | {a: .b}" } }],
    ["jq {a: .b}", { tool: "jq_tool_output", args: { id: "X", filter: "{a: .b}" } }],
    ['jq_tool_output {"filter": "."}', { tool: "jq_tool_output", args: { filter: "." } }],
    ["read", { tool: "read_tool_output", args: { id: "X" } }],
    ["cleanup", { tool: "cleanup_files", args: {} }],
    ["jq", { problem: "filter is missing." }],
    ["read 1", { problem: "After read_tool_output come its arguments as a JSON object." }],
  ])("means for %s", (line, meant) => {
    expect(typedCall(line, tools, "X")).toEqual(meant);
  });
});
