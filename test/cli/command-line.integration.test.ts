import { execFileSync } from "node:child_process";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type Call, parseCall } from "../../src/cli/call.js";
import { argumentsOf, commandLine } from "../../src/cli/command-line.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { JsonText } from "../../src/util/json-text.js";
import { surroundings } from "./run-command.js";

const ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";

/** The words of a line as a shell hands them to a program. */
function wordsOf(line: string): string[] {
  const printed = execFileSync("sh", ["-c", `set -- ${line}; printf '%s\\0' "$@"`], {
    encoding: "utf8",
  });
  return printed.split("\0").slice(0, -1);
}

function parsed(line: string): Call {
  const [npx, program, name, ...args] = wordsOf(line);
  expect([npx, program]).toEqual(["npx", "langchain-offload"]);
  const command = COMMANDS.find((one) => one.name === name);
  const given = command && parseCall(command, args, surroundings());
  if (given === undefined) throw new Error(`${line} is no command.`);
  return given;
}

const text = fc
  .string({ unit: "binary", minLength: 1, maxLength: 40 })
  .filter((text) => text.isWellFormed() && !text.includes("\0"));

describe("a next call as a command line", () => {
  it("means the same filter, whatever it holds, in a shell", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((end) => `-${end}`),
        ),
        fc.boolean(),
        fc.boolean(),
        (filter, raw, compact) => {
          const args = { id: ID, filter, raw, compact, limit: 3 };
          const given = argumentsOf(parsed(commandLine("jq", args)));
          expect({ raw: false, ...given }).toMatchObject(args);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("means the same directory, whatever it begins with (A12)", () => {
    const starts = ["-", "--", "-dash", "--json", "-5", "--directory=x", " ", "'"];
    fc.assert(
      fc.property(fc.constantFrom(...starts), text, (start, rest) => {
        const value = start + rest;
        const given = parsed(commandLine("read", { id: ID }, { directory: value }));
        expect(given.texts).toEqual({ directory: value });
      }),
      { numRuns: 8 },
    );
  });

  it("means the same variables, whatever they hold", () => {
    const name = fc.stringMatching(/^[a-z]\w{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(name, text), (variables) => {
        const jq = argumentsOf(parsed(commandLine("jq", { id: ID, filter: ".", args: variables })));
        const json = Object.entries(variables).map(([key, value]) => {
          return [key, new JsonText(JSON.stringify(value))];
        });
        expect(jq["args"]).toEqual(Object.fromEntries(json));
      }),
      { numRuns: 10 },
    );
  });
});
