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
});
