import { execFileSync } from "node:child_process";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandLine } from "../../src/cli/command-line.js";
import { COMMANDS } from "../../src/cli/commands.js";
import type { Given } from "../../src/cli/command.js";
import { pairsOf } from "../../src/cli/drill-into.js";
import { parseCommand } from "../../src/cli/parse-command.js";

const ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";

/** The words of a line as a shell hands them to a program. */
function wordsOf(line: string): string[] {
  const printed = execFileSync("sh", ["-c", `set -- ${line}; printf '%s\\0' "$@"`], {
    encoding: "utf8",
  });
  return printed.split("\0").slice(0, -1);
}

async function parsed(line: string): Promise<Given> {
  const [program, name, ...args] = wordsOf(line);
  expect(program).toBe("langchain-offload");
  const command = await COMMANDS.find((entry) => entry.name === name)?.load();
  const given = command && parseCommand(command, args);
  if (given === undefined) throw new Error(`${line} is no command.`);
  return given;
}

const text = fc
  .string({ unit: "binary", minLength: 1, maxLength: 40 })
  .filter((text) => text.isWellFormed() && !text.includes("\0"));

describe("a next call as a command line", () => {
  it("reads on", () => {
    expect(commandLine("read", { id: ID, start_line: 201, start_character: 7 })).toBe(
      `langchain-offload read ${ID} --start-line 201 --start-character 7`,
    );
    expect(commandLine("read", { id: ID, start_line: 2 }, { directory: "/my outputs" })).toBe(
      `langchain-offload read ${ID} --start-line 2 --directory '/my outputs'`,
    );
  });

  it("means the same filter, whatever it holds, in a shell", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), fc.boolean(), async (filter, raw, compact) => {
        const given = await parsed(commandLine("jq", { id: ID, filter, raw, compact, limit: 3 }));
        expect(given.operands).toEqual([ID, filter]);
        expect(given.flag("raw")).toBe(raw);
        expect(given.flag("pretty")).toBe(!compact);
        expect(given.number("limit")).toBe(3);
      }),
      { numRuns: 15 },
    );
  });

  it("means the same directory, configuration and options, whatever they begin with (A12)", async () => {
    const starts = ["-", "--", "-dash", "--json", "-5", "--directory=x", " ", "'"];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), text, async (start, rest) => {
        const value = start + rest;
        const line = commandLine("read", { id: ID, config: value }, { directory: value });
        const given = await parsed(line);
        expect([given.text("directory"), given.text("config")]).toEqual([value, value]);
      }),
      { numRuns: 8 },
    );
  });

  it("means the same variables and params, whatever they hold", async () => {
    const name = fc.stringMatching(/^[a-z]\w{0,8}$/);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, text), async (variables) => {
        const jq = await parsed(commandLine("jq", { id: ID, filter: ".", args: variables }));
        expect(pairsOf(jq, "argjson", JSON.parse)).toEqual({ ...variables });
        const call = { file_path: `/tmp/${ID}.jsonl`, recipe: 2, params: variables };
        const extract = await parsed(commandLine("extract", call));
        expect(extract.operands).toEqual([`/tmp/${ID}.jsonl`]);
        expect(pairsOf(extract, "param")).toEqual({ ...variables });
      }),
      { numRuns: 10 },
    );
  });
});
