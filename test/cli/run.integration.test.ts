import { describe, expect, it } from "vitest";

import { parseCall } from "../../src/cli/call.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { run } from "../../src/cli/run.js";
import { runHere, surroundings } from "./run-command.js";

const command = {
  name: "find",
  operands: "ID PATTERN",
  options: `  --line N             a number
  -w, --word K=V       may be repeated
  -j, --json           a flag`,
};

const ALL = `The commands: ${COMMANDS.map(({ name }) => name).join(", ")}.`;

function parse(...args: string[]) {
  const given = parseCall(command, args, surroundings());
  if (given === undefined) throw new Error("help was asked for");
  return given;
}

describe("the program", () => {
  it("has a help that names every command", async () => {
    const { code, stdout, stderr } = await runHere(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(`  ${name.padEnd(9)} ${summary}\n`);
    expect((await runHere(["-h"])).stdout).toBe(stdout);
  });

  it.each([
    [[], "A command is missing.\nSee npx langchain-offload --help\n"],
    [["lss"], `There is no command "lss". ${ALL}\nSee npx langchain-offload --help\n`],
    [["toString"], `There is no command "toString". ${ALL}\nSee npx langchain-offload --help\n`],
    [["ls", "--jsn"], expect.stringMatching(/--jsn[^]*See npx langchain-offload ls --help\n$/)],
    [["ls", "--directory", ""], "--directory is empty.\nSee npx langchain-offload ls --help\n"],
    [["show"], "ID is missing.\nSee npx langchain-offload show --help\n"],
    [
      ["jq", "ID", ".", "--limit", "many"],
      '--limit is "many"; it must be a whole number.\nSee npx langchain-offload jq --help\n',
    ],
    [
      ["\u001b[31mred"],
      `There is no command "\\u001b[31mred". ${ALL}\nSee npx langchain-offload --help\n`,
    ],
  ])("ends with 2 and a sentence for %j", async (args, stderr) => {
    expect(await runHere(args)).toEqual({ code: 2, stdout: "", stderr });
  });

  it("ends without a word when the reader of its output has ended, and with 2 for other faults", async () => {
    const failing = (code: string) => ({
      isTerminal: false,
      write: () => Promise.reject(Object.assign(new Error(`${code}: write`), { code })),
    });
    let stderr = "";
    const err = {
      isTerminal: false,
      write: async (text: string | Uint8Array) => void (stderr += text),
    };
    expect(await run(["--help"], surroundings({ err, out: failing("EPIPE") }))).toBe(0);
    expect(stderr).toBe("");
    expect(await run(["--help"], surroundings({ err, out: failing("ENOSPC") }))).toBe(2);
    expect(stderr).toBe("ENOSPC: write\n");
  });
});

describe("the arguments of a command", () => {
  it("are options in any place, and operands in order", () => {
    const given = parse("--line", "7", "id", "-j", "-w", "a=1", "pattern", "--word=b=2");
    expect(given.operands).toEqual(["id", "pattern"]);
    expect(given.numbers).toEqual({ line: 7 });
    expect(given.flags).toEqual({ json: true });
    expect(given.lists).toEqual({ word: ["a=1", "b=2"] });
    expect(parse("id", "p").lists).toEqual({});
  });
});
