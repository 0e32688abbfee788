import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { type Outcome, runHere } from "./run-command.js";
import { ISSUES_ID, storeIssues, storeOutput } from "./stored-issues.js";

const makeDirectory = temporaryDirectories();
let directory = "";

beforeEach(async () => {
  directory = await makeDirectory();
});

function on(...args: string[]): Promise<Outcome> {
  return runHere([...args, "--directory", directory]);
}

const HOSTILE = Array.from(
  { length: 2000 },
  (_, index) => `row ${index} \u001b[31mred\u0007 \u202egnp\u202c \ud83d\r\n`,
).join("");

describe("read, grep and jq", () => {
  it("answer what the tools of a model answer", async () => {
    await storeIssues(directory);
    const offloader = createOffloader({ store: fileStore({ directory }) });
    const sessionKey = sessionKeyOf("thread-1");
    const run = async (words: string, tool: string, args: object, ends = 0): Promise<void> => {
      const [command = "", ...rest] = words.split(" ");
      const { code, stdout, stderr } = await on(command, ISSUES_ID, ...rest);
      const given = { id: ISSUES_ID, ...args };
      const { text, failed } = await offloader.drillIn.run(tool, given, { sessionKey });
      expect(failed ? stdout : stderr).toBe("");
      const [ofCommand, ofTool] = [failed ? stderr : stdout, text].map(
        (one) => one.trimEnd().split("\nNext call: ", 1)[0],
      );
      expect({ words, code, text: ofCommand }).toEqual({ words, code: ends, text: ofTool });
    };
    const first = { start_line: 11, end_line: 13 };
    await run("read --start-line 11 --end-line 13", "read", first);
    await run("read --start=-50", "read", { start: -50 });
    const counted = { ignore_case: true, max_results: 3, after: 1, count_only: true };
    await run("grep PARSER.*open -i -m 3 -A 1 -c", "grep", { ...counted, pattern: "PARSER.*open" });
    await run("grep ca.he -F", "grep", { pattern: "ca.he", literal: true }, 1);
    const title = { filter: "select(.number==$n)|.title", raw: true, args: { n: 7 } };
    await run("jq select(.number==$n)|.title -r --argjson n=7", "jq", title);
    // T1: a number that JavaScript would round.
    const large = { filter: "90071992547409931", limit: 1 };
    await run("jq $n --limit 1 --argjson n=90071992547409931", "jq", large);
    const pretty = { filter: "length", slurp: true, compact: false };
    await run("jq length -s --pretty", "jq", pretty);
    await offloader.close();
  });

  it("state next calls as command lines that go on where the answer ends", async () => {
    await storeIssues(directory);
    let read = "";
    let words = ["read", ISSUES_ID, "--directory", directory];
    for (let page = 0; page < 20 && words.length > 0; page += 1) {
      const { code, stdout } = await runHere(words);
      expect(code).toBe(0);
      const [, ...lines] = stdout.split("\n");
      const end = lines.findLastIndex((line) => line.startsWith("Next call: "));
      const next = /^Next call: npx langchain-offload (.*)$/.exec(lines[end] ?? "")?.[1];
      read += (end === -1 ? lines : lines.slice(0, end)).join("\n");
      const script = `printf '%s\\n' ${next}`;
      const printed = next && execFileSync("sh", ["-c", script], { encoding: "utf8" });
      words = printed?.trimEnd().split("\n") ?? [];
    }
    expect(words).toEqual([]);
    const stored = join(directory, `atlatl-search_issues-${ISSUES_ID}.jsonl`);
    expect(read).toBe(await readFile(stored, "utf8"));
    const { stdout } = await on("jq", ISSUES_ID, ".title", "-r", "--max-tokens", "200");
    const next = `jq ${ISSUES_ID} .title --raw --skip=\\d+ --max-tokens=\\d+ --directory=${directory}`;
    expect(stdout).toMatch(new RegExp(`Next call: npx langchain-offload ${next}\\n$`));
  });

  it("end with 1 when nothing is found, and with 2 on standard error when something is wrong", async () => {
    await storeIssues(directory);
    expect(await on("grep", ISSUES_ID, "zebra")).toMatchObject({ code: 1, stderr: "" });
    for (const skip of [0, 9, 999]) {
      const args = ["jq", ISSUES_ID, skip === 999 ? "." : "empty", `--skip=${skip}`];
      expect(await on(...args)).toMatchObject({ code: 1, stderr: "" });
    }
    for (const [args, message] of [
      [["grep", ISSUES_ID, "(?=x)"], "Invalid pattern"],
      [["jq", ISSUES_ID, ".", "--arg", "novalue"], '--arg is "novalue"; write NAME=VALUE.'],
      [["jq", ISSUES_ID, ".", "--argjson", "n={"], '--argjson is "n={"; the value is not JSON.'],
      [["read", ISSUES_ID, "--start-line", "9999"], "Line 9999 is past the end"],
    ] as const) {
      const { code, stdout, stderr } = await on(...args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
      expect(stderr).toContain(message);
    }
  });

  it("escape what a terminal would act on, in a pipe too, and say so", async () => {
    const { id } = await storeOutput(directory, { toolName: "t", value: HOSTILE });
    const args = ["grep", id, "row 7 ", "--directory", directory];
    expect((await runHere(args)).stdout).toContain(String.raw`7 \u{1b}[31mred\u{7} \u{202e}`);
    const { stdout } = await runHere(args, { terminal: { out: true } });
    // Stored bodies are UTF-8, in which half a pair is U+FFFD.
    const shown = String.raw`8:row 7 \u{1b}[31mred\u{7} \u{202e}gnp\u{202c} `;
    expect(stdout).toContain(`${shown}\u{FFFD}`);
    expect(stdout).not.toMatch(/(?![\t\n])\p{Cc}/u);
  });
});
