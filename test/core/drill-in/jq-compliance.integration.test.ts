import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createJqEngine } from "../../../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";

const engine = createJqEngine({ ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 5000 });

afterAll(() => engine.close());

interface Case {
  readonly program: string;
  readonly input: string;
  /** Expected results, or `undefined` when the program must not compile. */
  readonly outputs: readonly string[] | undefined;
}

/**
 * Cases in the format of jq's own suite: program, input and expected outputs, a line each; groups
 * are split by empty lines, `%%FAIL` begins one that must not compile, `#` a comment.
 */
function parseCases(text: string): Case[] {
  const groups = text
    .split(/\n\s*\n/)
    .map((group) =>
      group.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#")),
    );
  return groups.flatMap(([first, second, ...rest]): Case[] => {
    if (first === undefined || second === undefined) return [];
    if (first.startsWith("%%FAIL")) return [{ program: second, input: "null", outputs: undefined }];
    return [{ program: first, input: second, outputs: rest }];
  });
}

function values(lines: readonly string[]): unknown[] {
  return lines.map((line): unknown => JSON.parse(line.replace(/^\u{feff}/u, "")));
}

async function passes({ program, input, outputs }: Case): Promise<boolean> {
  const result = await engine.run({
    source: { bytes: Buffer.from(input) },
    layout: "document",
    filter: program,
    maxOutputBytes: 10_000_000,
  });
  if (result.timedOut) return false;
  if (outputs === undefined) return result.error !== undefined;
  const got = result.output === "" ? [] : result.output.split("\n");
  try {
    expect(values(got)).toEqual(values(outputs));
    return true;
  } catch {
    return false;
  }
}

const OWN = readFileSync(new URL("jq-extract.txt", import.meta.url), "utf8");

describe("jq as the engine runs it", () => {
  const own = parseCases(OWN);

  it("has its extract of cases whole", () => {
    expect(own.length).toBeGreaterThanOrEqual(60);
  });

  it.each(own)("runs $program", async (item) => {
    expect(await passes(item)).toBe(true);
  });
});
