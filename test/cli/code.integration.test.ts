import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.js";
import { type HereOptions, type Outcome, runHere } from "./run-command.js";
import { ISSUES_ID, storeIssues, storeOutput } from "./stored-issues.js";

const makeDirectory = temporaryDirectories();
let directory = "";

beforeEach(async () => {
  directory = await makeDirectory();
  await storeIssues(directory);
});

function code(args: readonly string[], options: HereOptions = {}): Promise<Outcome> {
  return runHere(["code", ...args, "--directory", directory], options);
}

describe("langchain-offload code", () => {
  it("runs a file over the outputs that it names, of whatever session", async () => {
    const other = await storeOutput(directory, {
      toolName: "people",
      value: Array.from({ length: 300 }, (_, id) => ({
        id,
        name: `Person ${id} of three hundred`,
      })),
      sessionId: "another thread",
    });
    const file = join(directory, "count.js");
    await writeFile(
      file,
      "// Both.\nconst count = (id) => [...outputs.open(id)].length;\nids.map(count)",
    );
    const { code: exit, stdout } = await code([file, "latest", other.id, ISSUES_ID]);
    expect(exit).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(/^\[(300|420),300,420\]$/);
  });

  it("runs code of the command line, and of standard input", async () => {
    const inline = await code(["-e", "return outputs.open(ids[0]).next().value.number", ISSUES_ID]);
    expect(inline).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\nRead /) });
    const piped = await code(["-", ISSUES_ID.slice(0, 7)], { stdin: "print(ids.length)" });
    expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1\n/) });
  });

  it("opens no output that it was not given", async () => {
    const other = await storeOutput(directory, { toolName: "t", value: "A line.\n".repeat(4_000) });
    const { code: exit, stderr } = await code([
      "-e",
      `return outputs.read("${other.id}").length`,
      ISSUES_ID,
    ]);
    expect(exit).toBe(2);
    expect(stderr).toContain("No stored output has this id or name.");
  });

  it("stores what is saved or too long beside them, for the next command", async () => {
    const saving = 'outputs.save("open", outputs.open(ids[0]).filter((r) => r.state === "open"))';
    const { stdout } = await code(["-e", `return ${saving}`, ISSUES_ID, "--json"]);
    const [id] = (JSON.parse(stdout) as { stored: string[] }).stored;
    const next = await runHere(["jq", id ?? "", "length", "-s", "--directory", directory]);
    expect(next.stdout).toMatch(/^210\n/);
    const long = await code(["-e", "return [...outputs.open(ids[0])]", ISSUES_ID]);
    expect(long.stdout).toMatch(
      /^The returned value, [\d,]+ tokens, is too long .* is stored:\n\{"offloaded":true/,
    );
  });

  it("says where the code went wrong, by the lines of the file", async () => {
    const first = await code(["-e", "nothing.there", ISSUES_ID]);
    expect(first.code).toBe(2);
    expect(first.stderr).toMatch(/^ReferenceError: .*\nLine 1: nothing\.there\n/);
    const second = await code(["-e", "\nnothing.there", ISSUES_ID]);
    expect(second.stderr).toContain("\nLine 2: nothing.there\n");
    const many = Array.from({ length: 8 }, () => ISSUES_ID);
    const third = await code(["-e", " nothing.there", ...many]);
    expect(third.stderr).toContain("\nLine 1: nothing.there\n");
  });

  it("runs a file that names its program", async () => {
    const { stdout } = await code(["-e", "#!/usr/bin/env node\nreturn ids.length", ISSUES_ID]);
    expect(stdout).toMatch(/^1\n/);
  });

  it.each([
    [[], "FILE.js is missing; for code itself write -e CODE."],
    [["-e", "1"], "ID is missing: name the outputs that the code opens."],
    [["nowhere.js", ISSUES_ID], '"nowhere.js" cannot be read: there is no such file.'],
    [["-e", " ", ISSUES_ID], "The code is empty."],
    [["-e", "x".repeat(200_000), ISSUES_ID], "at most 100000 are allowed."],
  ])("refuses wrong usage", async (args, sentence) => {
    const { code: exit, stderr } = await code(args);
    expect(exit).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
