import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { parseCommandLine } from "../../eval/command-line.js";
import { evaluate } from "../../eval/evaluate.js";
import { pendingJobs, planOf } from "../../eval/plan.js";
import { readRunFile } from "../../eval/run-file.js";
import type { Sample } from "../../eval/sample.js";

const folder = mkdtempSync(join(tmpdir(), "evaluate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function command(args: readonly string[], signal?: AbortSignal): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await evaluate(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: signal ?? new AbortController().signal,
  });
  return { code, out, err };
}

const small = ["--arms", "inline,bare", "--corpora", "orders", "--tasks", "count,top"];
const runFile = (out: string): string => join(out, "scripted-128000.jsonl");
const linesOf = (file: string): string[] => readFileSync(file, "utf8").trimEnd().split("\n");

describe("npm run eval", { timeout: 60_000 }, () => {
  it("prints the tables, says that no model took part, and writes a page with charts", async () => {
    const out = join(folder, "first");
    const { code, out: printed, err } = await command([...small, "--out", out]);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("4/4") });
    expect(err).toContain("No model took part");
    expect(printed).toContain("These numbers check the machinery: no model took part.");
    expect(printed).not.toMatch(/accuracy/i);
    expect(printed).toContain("100 % (34–100)");
    expect(printed).toContain("| bare   |   1/1 | 1/1 |");
    const page = readFileSync(join(out, "scripted-128000.md"), "utf8");
    for (const table of printed.split("\n\n").filter((part) => part.startsWith("| "))) {
      expect(page).toContain(table.trimEnd());
    }
    for (const chart of ["accuracy", "tokens"]) {
      expect(page).toContain(`(scripted-128000-${chart}.svg)`);
      const svg = readFileSync(join(out, `scripted-128000-${chart}.svg`), "utf8");
      expect(svg).toMatch(/^<svg[\s\S]*scripted reader, not a model[\s\S]*<\/svg>\n$/);
    }
    expect(page).toContain(
      "npm run eval -- --model scripted --scale 50 --arms inline,bare --corpora orders --tasks count,top --seed 42",
    );
  });

  it("goes on where it ended, past a line that a crash has cut and a conversation that failed", async () => {
    const out = join(folder, "resumed");
    await command([...small, "--out", out]);
    const file = runFile(out);
    const [first = "", second = "", third = "", fourth = ""] = linesOf(file);
    const failed = JSON.stringify({ ...JSON.parse(second), outcome: "error", error: "429" });
    writeFileSync(file, `${first}\n${failed}\n${third}\n${fourth.slice(0, 40)}`);
    const again = await command([...small, "--out", out]);
    expect(again.code).toBe(0);
    expect(again.err).toContain("1 lines could not be read");
    expect(again.err).toContain("2 of 4 conversations are in");
    const { samples } = readRunFile(file);
    expect(samples.map(({ outcome }) => outcome)).toEqual(Array(4).fill("answered"));
    expect(linesOf(file)[0]).toBe(first);
    const nothingLeft = await command([...small, "--out", out]);
    expect(nothingLeft.err).toContain("4 of 4 conversations are in");
    expect(nothingLeft.out).toBe(again.out);
  });

  it("makes the same tables of a recorded run, without a model", async () => {
    const out = join(folder, "recorded");
    const { out: printed } = await command([...small, "--out", out]);
    const replayed = await command(["--replay", runFile(out), "--out", join(folder, "replayed")]);
    expect(replayed).toMatchObject({ code: 0, out: printed });
    for (const name of ["md", "-accuracy.svg", "-tokens.svg"]) {
      const file = `scripted-128000${name === "md" ? ".md" : name}`;
      expect(readFileSync(join(folder, "replayed", file), "utf8")).toBe(
        readFileSync(join(out, file), "utf8"),
      );
    }
  });

  it("scores what is recorded, so another reply has another score", async () => {
    const out = join(folder, "changed");
    await command([...small, "--out", out]);
    const file = runFile(out);
    const lines = linesOf(file).map((line): Sample => JSON.parse(line));
    const changed = lines.map((sample) => ({ ...sample, reply: "ANSWER: 3000" }));
    writeFileSync(file, changed.map((sample) => `${JSON.stringify(sample)}\n`).join(""));
    const { out: printed } = await command(["--replay", file, "--out", out]);
    expect(printed).toContain("0 % (0–66)");
    const asked = changed.map((sample) => ({ ...sample, prompt: "How many?" }));
    writeFileSync(file, asked.map((sample) => `${JSON.stringify(sample)}\n`).join(""));
    const other = await command(["--replay", file, "--out", out]);
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("another version") });
  });

  it("ends at an interrupt with a file that can be gone on with", async () => {
    const out = join(folder, "interrupted");
    const ending = new AbortController();
    ending.abort();
    const { code, err } = await command([...small, "--out", out], ending.signal);
    expect(code).toBe(130);
    expect(err).toContain("4 conversations are missing");
    expect((await command([...small, "--out", out])).code).toBe(0);
  });

  it("stops when so many tokens are used", async () => {
    const out = join(folder, "bounded");
    const { code, err } = await command([...small, "--out", out, "--max-tokens", "100"]);
    expect(code).toBe(1);
    expect(err).toMatch(/The run has used \d+ tokens. Start again to go on./);
    expect(readRunFile(runFile(out)).samples).toHaveLength(1);
  });

  it("shows what it costs at given prices", async () => {
    const out = join(folder, "priced");
    const prices = ["--price-input", "1000", "--price-output", "0"];
    const { out: printed, err } = await command([...small, "--out", out, ...prices]);
    const input = readRunFile(runFile(out))
      .samples.filter(({ arm }) => arm === "inline")
      .flatMap(({ calls }) => calls)
      .reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(printed).toContain(`| inline | ${(input / 2 / 1_000).toFixed(4)} |`);
    expect(err).toContain("cost ");
  });

  it.each([
    [["--arms", "inlin"], "Did you mean inline?"],
    [["--tasks", "zzz"], "There are lookup"],
    [["--scale", "0"], "whole number from 1"],
    [["--scale", "5,x"], "whole number"],
    [["--colour"], "--colour"],
    [["--price-input", "3"], "--price-output"],
    [["--replay", "no-such-file.jsonl"], "no conversation"],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { code, err, out } = await command(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
  });

  it("says what to install for a model whose package is missing", async () => {
    const { code, err } = await command(["--model", "mistralai:any", "--out", folder]);
    expect(code).toBe(1);
    expect(err).toContain("npm install --no-save @langchain/mistralai");
  });

  it("has a help that names every option and arm", async () => {
    const { code, out } = await command(["--help"]);
    expect(code).toBe(0);
    for (const word of ["--replay", "--max-tokens", "deepagents-lines", "vectara+sql"]) {
      expect(out).toContain(word);
    }
  });
});

describe("a run file", () => {
  it("keeps the last of several results, and skips what is none", () => {
    const file = join(folder, "mixed.jsonl");
    const options = parseCommandLine([...small, "--tasks", "count"]);
    if (options === undefined) throw new Error("no options");
    const [job] = planOf({ ...options, windowTokens: 1_000 });
    const sample = {
      version: 1,
      ...job?.key,
      versions: "",
      prompt: "",
      outcome: "error",
      reply: "",
      calls: [],
      offloaded: false,
      recordsSeen: 0,
      durationMs: 1,
      messages: [],
    };
    appendFileSync(
      file,
      `null\n[1]\n{"version":1}\n${JSON.stringify({ ...sample, version: 0 })}\n`,
    );
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
    const jobs = planOf({ ...options, windowTokens: 1_000 });
    expect(pendingJobs(jobs, readRunFile(file).samples)).toHaveLength(2);
    appendFileSync(file, `${JSON.stringify({ ...sample, outcome: "answered" })}\n`);
    const { samples, brokenLines } = readRunFile(file);
    expect(samples.map(({ outcome }) => outcome)).toEqual(["answered"]);
    expect(brokenLines).toBe(4);
    expect(pendingJobs(jobs, samples)).toHaveLength(1);
  });
});
