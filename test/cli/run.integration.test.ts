import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { type Call, type Output, parseCall } from "../../src/cli/call.js";
import { argumentsOf, commandLine } from "../../src/cli/command-line.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { run } from "../../src/cli/run.js";
import { JsonText } from "../../src/util/json-text.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { MAIN, runHere, surroundings } from "./run-command.js";
import { storeIssues } from "./stored-issues.js";

describe("the program", () => {
  it("has a help that names every command", async () => {
    const { code, stdout, stderr } = await runHere(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(`  ${name.padEnd(9)} ${summary}\n`);
    expect((await runHere(["-h"])).stdout).toBe(stdout);
  });

  it("ends without a word when the reader of its output has ended, and with 2 for other faults", async () => {
    for (const [code, ends, said] of [
      ["EPIPE", 0, ""],
      ["ENOSPC", 2, "ENOSPC: write\n"],
    ] as const) {
      let stderr = "";
      const failing = () => Promise.reject(Object.assign(new Error(`${code}: write`), { code }));
      const out: Output = { isTerminal: false, write: failing };
      const err: Output = { isTerminal: false, write: async (text) => void (stderr += text) };
      expect(await run(["--help"], surroundings({ err, out }))).toBe(ends);
      expect(stderr).toBe(said);
    }
  });
});

describe("wrong input", () => {
  const makeDirectory = temporaryDirectories();

  /** A directory with outputs, and beside it what is none. */
  async function place(): Promise<{ outputs: string; beside: string }> {
    const [outputs, beside] = [await makeDirectory(), await makeDirectory()];
    await storeIssues(outputs);
    await mkdir(join(beside, "folder"));
    await writeFile(join(beside, "binary"), new Uint8Array([0xff, 0xfe, 0x00, 0x80]));
    await writeFile(join(beside, "text"), "hello\n");
    return { outputs, beside };
  }

  const runWith = async (...args: readonly string[]) => {
    const { outputs, beside } = await place();
    const words = args.map((arg) => arg.replace("BESIDE", beside));
    return await runHere(words, { env: { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: outputs } });
  };

  it.each<readonly [readonly string[], string]>([
    [["proxy", "--config", "BESIDE/nothing", "https://host/mcp"], "cannot be read: ENOENT"],
    [["proxy", "--config", "BESIDE/text", "https://host/mcp"], "text cannot be read at line 1: "],
    ...[["show"], ["show", ""]].map((args): [string[], string] => [args, "ID is missing."]),
    [["ls", "--jsn"], "--jsn"],
    [["ls", "--directory", ""], "--directory is empty."],
    [["jq", "ID", ".", "--limit", "many"], '--limit is "many"; it must be a whole number.'],
    [[], "A command is missing."],
    [["toString"], 'There is no command "toString". The commands: ls, '],
    [["\u001b[31mred"], 'There is no command "\\u001b[31mred".'],
    [["describe", "BESIDE/nothing"], "cannot be read: ENO"],
    [["describe", "BESIDE/binary"], "cannot be read: "],
    [["describe", "BESIDE/text", "--preset", "lor"], "There is no preset"],
    [["describe", "/dev/zero"], '"/dev/zero" cannot be read: it has more than 268 MB.'],
  ])("ends with 2 for %j", { timeout: 30_000 }, async (args, words) => {
    const { code, stdout, stderr } = await runWith(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
    const known = COMMANDS.flatMap(({ name }) => (name === args[0] ? `${name} ` : ""));
    expect(stderr).toMatch(new RegExp(`\nSee npx langchain-offload ${known.join("")}--help\n$`));
  });

  it.each([
    ["with a command", ["--header-env", "X-A=HOME", "--", "true"]],
    ["with a command, and without a variable", ["--header-env", "A", "--", "true"]],
    ["with two signs of equality", ["--header-env", "X-A=HOME=Y", "https://127.0.0.1:1/mcp"]],
    ["without a variable", ["--header-env", "A", "https://127.0.0.1:1/mcp"]],
  ])("T4: ends with 2 for the headers of a proxy %s", async (_, args) => {
    const { code, stdout } = await runHere(["proxy", ...args], { env: { HOME: "/" } });
    expect([code, stdout]).toEqual([2, ""]);
  });

  it.each([
    ["read", "latest"],
    ["proxy", "https://host/mcp"],
  ])("%s ends with 2 when a file stands in the directory's place (A12)", async (...args) => {
    const { beside } = await place();
    for (const path of [join(beside, "text"), join(beside, "text/below")]) {
      const outcome = await runHere([...args, "--directory", path]);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toContain(`${path} is not a directory.`);
    }
  });

  it.each([
    [["ls", "--directory", "BESIDE/nothing"], "nothing: nothing has been stored there."],
    [["show", "BESIDE/text"], "There is no stored output"],
    [["jq", "nothing", "."], "npx langchain-offload ls lists what is there."],
  ])("ends with 1 when something is not there: %j", async (args, words) => {
    const { code, stdout, stderr } = await runWith(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(words);
  });
});

describe("inspect", () => {
  const makeDirectory = temporaryDirectories();
  const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill("SIGKILL");
  });

  it("ends by itself when the reader of its output has ended, and by a signal otherwise", async () => {
    const args = [MAIN, "inspect", "--directory", await makeDirectory()];
    for (const signal of [undefined, ...SIGNALS]) {
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      started.push(child);
      if (signal === undefined) child.stdout.destroy();
      else await once(child.stdout, "data").then(() => child.kill(signal));
      expect(await once(child, "exit")).toEqual([0, null]);
    }
  });
});

describe("a next call as a command line", () => {
  const ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";

  /** What a command is given when a shell has read its line. */
  function parsed(line: string): Call {
    const script = `set -- ${line}; printf '%s\\0' "$@"`;
    const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
    const [npx, program, name, ...args] = words;
    expect([npx, program]).toEqual(["npx", "langchain-offload"]);
    const command = COMMANDS.find((one) => one.name === name);
    const given = command && parseCall(command, args, surroundings());
    if (given === undefined) throw new Error(`${line} is no command.`);
    return given;
  }

  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 40 })
    .filter((text) => text.isWellFormed() && !text.includes("\0"));
  const starts = ["", "-", "--", "-dash", "--json", "-5", "--directory=x", " ", "'"];
  const started = fc.tuple(fc.constantFrom(...starts), text).map((parts) => parts.join(""));
  const variables = fc.dictionary(fc.stringMatching(/^[a-z]\w{0,8}$/), text);

  it("means the same filter, directory and variables, whatever they begin with and hold, in a shell (A12)", () => {
    const property = fc.property(
      fc.record({ filter: started, raw: fc.boolean(), compact: fc.boolean() }),
      started,
      variables,
      (asked, directory, given) => {
        const line = commandLine("jq", { id: ID, ...asked, limit: 3, args: given }, { directory });
        const call = parsed(line);
        const args = Object.entries(given).map(([key, value]) => {
          return [key, new JsonText(JSON.stringify(value))];
        });
        expect(call.texts["directory"]).toBe(directory);
        expect({ raw: false, args: {}, ...argumentsOf(call) }).toMatchObject({
          id: ID,
          limit: 3,
          ...asked,
          args: Object.fromEntries(args),
        });
      },
    );
    fc.assert(property, { numRuns: 30 });
  });
});
