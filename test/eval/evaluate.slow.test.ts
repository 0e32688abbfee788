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
});
