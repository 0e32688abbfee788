import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import type { Command } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { inputFrom } from "../../src/cli/input/input.js";
import { parseCommand } from "../../src/cli/parse-command.js";
import { packageJson } from "../../src/cli/package-json.js";
import { run } from "../../src/cli/run.js";
import { runHere, runProcess } from "./run-command.js";

const command: Command = {
  help: "",
  options: {
    line: { type: "string" },
    word: { type: "string", short: "w", multiple: true },
    json: { type: "boolean", short: "j" },
  },
  operands: ["ID", "PATTERN"],
  run: async () => 0,
};

const ALL = `The commands: ${COMMANDS.map(({ name }) => name).join(", ")}.`;

function parse(...args: string[]) {
  const given = parseCommand(command, args);
  if (given === undefined) throw new Error("help was asked for");
  return given;
}

describe("the program", () => {
  it("has a help that names every command", async () => {
    const { code, stdout, stderr } = await runHere(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`Usage: langchain-offload COMMAND [options]

Looks into the tool outputs that agents of this user have stored in files.

  ls        List stored outputs, newest first
  show      Show what is known about an output, and its recipes
  read      Read lines, characters or records, or everything
  grep      Search the lines of an output
  jq        Run a jq filter over the records of an output
  sql       Run a SELECT over the records of an output
  code      Run JavaScript over outputs
  extract   Run a recipe of the descriptor
  describe  Print what a model would see of a file
  try       Make a model's calls yourself, with tokens counted
  types     Print what a tool's outputs look like, as TypeScript
  inspect   Serve a page that shows what agents store, see and read
  clean     Remove outputs that have expired
  proxy     Stand in front of an MCP server
  doctor    Say what is configured, where from, and what is missing

Each command takes --json and --help. ID: an id, its beginning, a file name, a
path, or \`latest\`. Directory: --directory, ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR,
or output_dir of --config FILE. Exit codes: 0 done, 1 not there, 2 a fault.
`);
    for (const args of [["-h"], ["help"]]) expect((await runHere(args)).stdout).toBe(stdout);
  });

  it.each([...COMMANDS, { name: "", load: async () => command }])(
    "has a help of 24 lines and 80 columns for $name that names every option",
    async ({ name, load }) => {
      const { code, stdout } = await runHere(name === "" ? ["-h"] : [name, "--help"]);
      const lines = stdout.split("\n");
      expect(code).toBe(0);
      expect(lines.length).toBeLessThanOrEqual(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      if (name === "") return;
      const { options, operands } = await load();
      expect(stdout.startsWith(`Usage: langchain-offload ${[name, ...operands].join(" ")}`)).toBe(
        true,
      );
      const named = new Set(
        [...stdout.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, option]) => option),
      );
      expect(named).toEqual(new Set([...Object.keys(options), "help"]));
      for (const [option, { short }] of Object.entries(options))
        if (short !== undefined) expect(stdout).toContain(`-${short}, --${option}`);
    },
  );

  it("says its version", async () => {
    const { code, stdout } = await runProcess(["--version"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${packageJson().version}\n` });
  });

  it.each([
    [[], "A command is missing.\nSee langchain-offload --help\n"],
    [["lss"], 'There is no command "lss". Did you mean ls?\nSee langchain-offload --help\n'],
    [["zzzzzz"], `There is no command "zzzzzz". ${ALL}\nSee langchain-offload --help\n`],
    [
      ["help", "jqq"],
      'There is no command "jqq". Did you mean jq?\nSee langchain-offload --help\n',
    ],
    [["--json", "ls"], 'The command comes first, not "--json".\nSee langchain-offload --help\n'],
    [["toString"], `There is no command "toString". ${ALL}\nSee langchain-offload --help\n`],
    [
      ["ls", "--jsn"],
      "There is no option --jsn. Did you mean --json?\nSee langchain-offload ls --help\n",
    ],
    [["ls", "--directory", ""], "--directory is empty.\nSee langchain-offload ls --help\n"],
    [["show"], "ID is missing.\nSee langchain-offload show --help\n"],
    [
      ["ls", "--limit", "many"],
      '--limit is "many"; it is a whole number of at least 1.\nSee langchain-offload ls --help\n',
    ],
    [
      ["\u001b[31mred"],
      `There is no command "\\u001b[31mred". ${ALL}\nSee langchain-offload --help\n`,
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
    const input = inputFrom(Readable.from([]));
    const around = { env: {}, now: Date.now, input, err };
    expect(await run(["--help"], { ...around, out: failing("EPIPE") })).toBe(0);
    expect(stderr).toBe("");
    expect(await run(["--help"], { ...around, out: failing("ENOSPC") })).toBe(2);
    expect(stderr).toBe("ENOSPC: write\n");
  });

  it("has colours on a real terminal, and none in a pipe", async () => {
    const doctor = `'${process.execPath}' dist/cli/main.js doctor`;
    const terminal = ["script", "-qec", doctor, "/dev/null"];
    const env = { TERM: "xterm", NO_COLOR: "" };
    expect((await runProcess([], env, terminal)).stdout).toContain(
      "\u001b[32mok     \u001b[0m  node",
    );
    expect((await runProcess([], { ...env, NO_COLOR: "1" }, terminal)).stdout).not.toContain(
      "\u001b[3",
    );
    expect((await runProcess(["doctor"], env)).stdout).not.toContain("\u001b");
  });

  it("says that a full disk has not taken its output", async () => {
    const { code, stderr } = await runProcess(
      [`'${process.execPath}' dist/cli/main.js --help > /dev/full`],
      {},
      ["sh", "-c"],
    );
    expect(code).toBe(2);
    expect(stderr).toContain("ENOSPC");
  });
});

describe("the arguments of a command", () => {
  it("are options in any place, and operands in order", () => {
    const given = parse("--line", "7", "id", "-j", "-w", "a", "pattern", "--word=b");
    expect(given.operands).toEqual(["id", "pattern"]);
    expect(given.number("line")).toBe(7);
    expect(given.flag("json")).toBe(true);
    expect(given.list("word")).toEqual(["a", "b"]);
    expect(given.text("word")).toBeUndefined();
    expect(parse("id", "p").list("word")).toEqual([]);
  });

  it("take negative numbers with and without =", () => {
    expect(parse("id", "p", "--line", "-5").number("line")).toBe(-5);
    expect(parse("id", "p", "--line=-5").number("line")).toBe(-5);
  });

  it("are operands after --, whatever they look like", () => {
    expect(parse("--", "--json", "--line").operands).toEqual(["--json", "--line"]);
    expect(parse("--", "--line", "-5").operands).toEqual(["--line", "-5"]);
  });

  it.each([
    [["id", "p", "x"], '"x" is one too many: the command takes ID PATTERN.'],
    [["id"], "PATTERN is missing."],
    [["id", "p", "--line"], "--line needs a value."],
    [["id", "p", "--line", "--json"], "--line needs a value; write --line=--json if this is it."],
    [["id", "p", "--json=yes"], "--json takes no value."],
    [["id", "p", "--no-json"], "There is no option --no-json. Did you mean --json?"],
    [["id", "p", "--__proto__"], "There is no option --__proto__."],
    [["id", "p", "-x"], "There is no option -x."],
  ])("are refused when they are %j", (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });

  it.each(["", " ", "1.5", "1e3", "0x10", "9007199254740993", "-"])(
    "are no number when they are %j",
    (text) => {
      expect(() => parse("id", "p", `--line=${text}`).number("line")).toThrow(/--line (is|needs)/);
    },
  );

  it("go on after the last operand for a command that takes more", () => {
    const given = parseCommand({ ...command, operands: [], takesMore: true }, [
      "--",
      "server",
      "--stdio",
      "-h",
    ]);
    expect(given?.operands).toEqual(["server", "--stdio", "-h"]);
  });
});
