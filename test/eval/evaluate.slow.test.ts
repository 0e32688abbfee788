import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { evaluate } from "../../eval/evaluate.js";
import { readRunFile } from "../../eval/run-file.js";

const folder = mkdtempSync(join(tmpdir(), "evaluate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function command(args: readonly string[]) {
  let [out, err] = ["", ""];
  const code = await evaluate(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    signal: new AbortController().signal,
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

  it.each([
    [["--arms", "inlin"], "There are inline, paged-20"],
    [["--scale", "0"], "whole number from 1"],
    [["--price-input", "3"], "--price-output"],
    [["--replay", "no-such-file.jsonl"], "no conversation"],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { code, err, out } = await command(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
  });
});
