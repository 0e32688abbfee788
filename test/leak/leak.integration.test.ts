import { afterAll, expect, it } from "vitest";

import { redact } from "./canary.js";
import { INPUTS } from "./inputs.js";
import { MCP_INPUTS } from "./mcp-inputs.js";
import { type Sink, sinksReached } from "./place.js";

const SINKS: readonly Sink[] = [
  ...(["model", "caller", "checkpoint", "trace", "store", "disk"] as const),
  ...(["journal", "event", "span", "client", "page", "warning"] as const),
];

const TALK = "model caller checkpoint trace";

/** What leaks today: inputs with commas between them, sinks, and why. A pair that leaks no more fails the test: take it out. */
const KNOWN: readonly (readonly [inputs: string, sinks: string, because: string])[] = [
  [
    `a text, a value in JSON, a key in JSON, a text block, a cursor, a stream that fails, a block of JSON, an embedded resource,
    a document, a text-plain block, metadata of a file, the name of a stored file, an artifact of the tool, structured content,
    an answer of the status error, a command, a thrown message, a thrown cause, a nested call's result, a nested call's error,
    a remark beside a nested call's result,
    a wrapped tool's text, a wrapped tool's error, an excluded tool, what is switched off, an output for the user`,
    "trace",
    "LangChain tells its traces what a tool gave before this library is given it",
  ],
  ["bytes of a file, a message's metadata", TALK, "neither is given to redact"],
  ["arguments, code, questions to an output", TALK, "they stand in the model's own message"],
  ["a result from before", TALK, "it stood there before, and is redacted as it leaves"],
  ["a tool's name", `${TALK} store disk journal event span page`, "it is written as it is"],
  ["what redact throws", "event", "the event has the error of the application's own function"],
  ["progress over MCP, a log over MCP, a prompt over MCP", "client", "it is of no call of a tool"],
];

const listed = (names: string): string[] => names.split(/[\s,]*,\s+/).map((name) => name.trim());
const known = new Set(
  KNOWN.flatMap(([inputs, sinks]) =>
    listed(inputs).flatMap((name) => sinks.split(" ").map((sink) => `${name} x ${sink}`)),
  ),
);
const matrix: string[] = [];
let isRight = true;
// Once, with all that is wrong in capitals.
afterAll(() => {
  if (!isRight) console.error(["".padEnd(42) + SINKS.join(" "), ...matrix].join("\n"));
});

it.each([...INPUTS, ...MCP_INPUTS])(
  "%s reaches nothing where it is redacted, and all that it should where it is not",
  async (name, reaches, run) => {
    const leaks = new Set(await sinksReached(redact, run));
    const shown = new Set(await sinksReached(undefined, run));
    const cells = SINKS.map((sink) => {
      const isKnown = known.delete(`${name} x ${sink}`);
      if (leaks.has(sink)) return isKnown ? "known" : "LEAK";
      if (isKnown) return "CLEAN";
      if (shown.has(sink)) return "+";
      return reaches.split(" ").includes(sink) ? "UNSEEN" : ".";
    });
    const row = cells.map((cell, at) => cell.padEnd(SINKS[at]?.length ?? 0));
    matrix.push(name.padEnd(42) + row.join(" "));
    isRight &&= row.every((cell) => !/[A-Z]/.test(cell));
    const wrong = SINKS.map((sink, at) => `${sink}: ${cells[at]}`);
    expect(wrong.filter((cell) => /[A-Z]/.test(cell))).toEqual([]);
  },
);

it("lists no leak of an input that there is not", () => {
  expect([...known]).toEqual([]);
});
