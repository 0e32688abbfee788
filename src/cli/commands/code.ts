import { codeEngine } from "../../drill-in/code/engine.js";
import { createDrillIn } from "../../drill-in/drill-in.js";
import { createMeasure } from "../../measure/measure.js";
import { createOffloader } from "../../offload/create-offloader.js";
import { internals } from "../../offload/offloader.js";
import { fileStore } from "../../store/file/index.js";
import { artifactIdIn } from "../../store/naming.js";
import type { Command, ExitCode, Given, Surroundings } from "../command.js";
import { commandCalls } from "../command-line.js";
import { commandNames, DRILL_IN_OPTIONS, limitsOf, printAnswer } from "../drill-into.js";
import { findOutput, type FoundOutput } from "../find-output.js";
import { programName } from "../program-name.js";
import { readText } from "../input/read-text.js";
import { withProgress } from "../print/progress.js";
import { duration } from "../print/units.js";
import { wrongUsage } from "../wrong-usage.js";

/** A person may bring more than a model writes. */
const MAX_CODE_CHARACTERS = 100_000;

/** `code`: what `code_tool_output` answers. */
export const code: Command = {
  help: `Usage: langchain-offload code FILE.js ID... [options]
       langchain-offload code -e CODE ID... [options]

Runs JavaScript over the stored outputs ID..., which it finds in the array ids:
outputs.open(ids[0]) gives records, outputs.lines(id) lines, outputs.read(id) a
whole document, outputs.save(name, records) stores an output. The value that it
returns and what it prints are the answer; what is too long is stored. FILE.js
may be -, standard input. Needs the package quickjs-wasi; the code reaches these
outputs, no file, module, environment or network.

Options:
  -e, --eval CODE      the code, in place of a file
  --max-tokens N       longest answer (2,000, as for a model)
  --timeout SECONDS    longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 it ran; 1 there is no such output; 2 wrong usage, an error of the
code, a missing package, or a fault.
`,
  options: { eval: { type: "string", short: "e" }, ...DRILL_IN_OPTIONS },
  operands: [],
  takesMore: true,
  async run(given, surroundings) {
    const inline = given.text("eval");
    const [file, ...others] = given.operands;
    if (inline === undefined && file === undefined)
      throw wrongUsage("FILE.js is missing; for code itself write -e CODE.");
    const references = inline === undefined ? others : given.operands;
    const found = await findAll(references, given, surroundings);
    const text = inline ?? (await readText(file ?? "", MAX_CODE_CHARACTERS * 4, surroundings));
    return await runCode(text, found, given, surroundings);
  },
};

/** The outputs, which lie in one directory. */
async function findAll(
  references: readonly string[],
  given: Given,
  surroundings: Surroundings,
): Promise<readonly [FoundOutput, ...FoundOutput[]]> {
  const found: FoundOutput[] = [];
  for (const reference of references) {
    found.push(await findOutput(given, surroundings, reference));
  }
  const [first, ...others] = found;
  if (first === undefined) throw wrongUsage("ID is missing: name the outputs that the code opens.");
  const apart = others.find(({ directory }) => directory !== first.directory);
  if (apart === undefined) return [first, ...others];
  throw wrongUsage(
    `${apart.artifact.fileName} lies in another directory; all outputs of a call lie in one.`,
  );
}

/** Whoever has the files acts as their owner: the outputs may be of several sessions. */
async function runCode(
  text: string,
  found: readonly [FoundOutput, ...FoundOutput[]],
  given: Given,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const [{ artifact: first, directory, directoryArgs }] = found;
  const { now } = surroundings;
  const program = programName(surroundings);
  const scopes = new Map(found.map(({ artifact: { id, scope } }) => [id, scope]));
  const store = fileStore({ directory, now });
  const offloader = createOffloader({ store, drillIn: false, describe: { form: "bare" }, now });
  const drillIn = createDrillIn({
    store,
    measure: createMeasure(),
    limits: { ...limitsOf(given), maxCodeCharacters: MAX_CODE_CHARACTERS },
    code: codeEngine(),
    keep: internals(offloader).keepMade,
    names: { ...commandNames(program), code: "code" },
    calls: commandCalls(directoryArgs, program),
    now,
  });
  // On the first line, so that the numbers of lines are those of the file.
  const ids = `globalThis.ids=${JSON.stringify(found.map(({ artifact }) => artifact.id))};`;
  // A comment only where it begins a script.
  const own = text.replace(/^#!/, "//");
  try {
    const startedAt = performance.now();
    const answer = await withProgress(
      surroundings,
      () => `Running code: ${duration(performance.now() - startedAt)}`,
      () =>
        drillIn.code({ code: text.trim() === "" ? text : ids + own }, first.scope, undefined, {
          scopeOf: (reference) => scopes.get(artifactIdIn(reference) ?? "") ?? "",
        }),
    );
    const shown = { ...answer, text: withoutIds(answer.text, ids, own) };
    return await printAnswer(shown, answer.artifactId, given, surroundings);
  } finally {
    await drillIn.close();
    await offloader.close();
  }
}

const FIRST_LINE = "Line 1: ";

/** An answer whose first line of code is the person's own, also where the ids took all that is shown of it. */
function withoutIds(answer: string, ids: string, code: string): string {
  const own = (code.split("\n", 1)[0] ?? "").trim();
  const lines = answer.split("\n").map((line) => {
    if (!line.startsWith(FIRST_LINE)) return line;
    const shown = line.slice(FIRST_LINE.length);
    return ids.startsWith(shown) ? FIRST_LINE + own.slice(0, shown.length) : line.replace(ids, "");
  });
  return lines.join("\n");
}
