import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createJqEngine } from "../../../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);

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

/** What the engine leaves out on purpose, and why. */
const WAIVED: readonly (readonly [RegExp, string])[] = [
  [
    /\b(import|include|modulemeta|get_search_list)\b/,
    "modules are files, and no file is open to a filter",
  ],
  [/\$ENV|\benv\b/, "the environment is empty"],
  [/input_filename|\$__prog/, "the input has no name"],
  [/\$__loc__|input_line_number/, "line numbers are those of the bracketed filter"],
  [/have_decnum/, "this build has no decimal arithmetic"],
  [/^def [^;]*;\s*$/, "a program of definitions only is no filter"],
];

function values(lines: readonly string[]): unknown[] {
  return lines.map((line): unknown => JSON.parse(line.replace(/^\u{feff}/u, "")));
}

async function passes({ program, input, outputs }: Case): Promise<boolean> {
  const result = await engine.run({
    source: { bytes: Buffer.from(input) },
    layout: "document",
    filter: program,
    nullInput: false,
    maxOutputBytes: 10_000_000,
    timeoutMs: 5000,
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

/** Set to the path of jq's own `jq.test` or `man.test` to be scored by it. */
const suiteFile = process.env["JQ_TEST_FILE"];

describe.each(suiteFile === undefined ? [] : [suiteFile])("jq's own suite, %s", (path) => {
  it("passes at 95 % of the cases that are not waived", { timeout: 600_000 }, async () => {
    const all = parseCases(readFileSync(path, "utf8"));
    const cases = all.filter((item) => !WAIVED.some(([pattern]) => pattern.test(item.program)));
    const failed: string[] = [];
    for (const item of cases) if (!(await passes(item))) failed.push(item.program);
    process.stdout.write(
      `${cases.length - failed.length} of ${cases.length} cases, ${all.length - cases.length} waived; failed:\n${failed.join("\n")}\n`,
    );
    expect(failed.length / cases.length).toBeLessThanOrEqual(0.05);
  });
});
