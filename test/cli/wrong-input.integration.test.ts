import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { runHere } from "./run-command.js";
import { storeIssues } from "./stored-issues.js";

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

describe("what is wrong with a command", () => {
  const runWith = async (...args: readonly string[]) => {
    const { outputs, beside } = await place();
    const words = args.map((arg) => arg.replace("BESIDE", beside));
    return await runHere(words, { env: { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: outputs } });
  };

  it.each([
    [["proxy", "--config", "BESIDE/nothing", "https://host/mcp"], "cannot be read: ENOENT"],
    [["proxy", "--config", "BESIDE/text", "https://host/mcp"], "text cannot be read at line 1: "],
    [["show", ""], "ID is missing."],
    [["describe", "BESIDE/nothing"], "cannot be read: ENO"],
    [["describe", "BESIDE/binary"], "cannot be read: "],
    [["describe", "BESIDE/text", "--preset", "lor"], "There is no preset"],
    [["describe", "/dev/zero"], '"/dev/zero" cannot be read: it has more than 268 MB.'],
  ])("ends with 2 for %j", { timeout: 30_000 }, async (args, words) => {
    const { code, stdout, stderr } = await runWith(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(`See npx langchain-offload ${args[0]} --help`);
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

describe("a command that a command suggests", () => {
  /** Every command line in what was printed, as a shell reads it. */
  const suggested = (text: string): string[][] =>
    [...text.matchAll(/langchain-offload (?:[\w./=-]+|'[^']*')(?: (?:[\w./=-]+|'[^']*'))*/g)].map(
      ([line]) =>
        [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
    );
  const upTo = (words: readonly string[]): readonly string[] => {
    const end = words.findIndex((word) => ["lists"].includes(word));
    return words.slice(1, end === -1 ? undefined : end);
  };

  it.each([
    [["nothing"]],
    [["show", "BESIDE/text"]],
    [["show", "nothing", "--directory", "DIR"]],
    [["grep", "latest", "cache", "-m", "2", "--directory", "DIR"]],
    [["read", "latest", "--directory", "DIR"]],
  ])("runs as it is printed: %j", async (args) => {
    const { outputs, beside } = await place();
    const words = args.map((arg) => arg.replace("BESIDE", beside).replace("DIR", outputs));
    const { stdout, stderr } = await runHere(words);
    const lines = suggested(stdout + stderr).map((line) => upTo(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const recipe = line.map((word) => (word === "N" ? "1" : word));
      const outcome = await runHere(recipe);
      expect({ line, code: outcome.code }).toEqual({ line, code: 0 });
    }
  });
});
