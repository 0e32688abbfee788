import { type DrillInAnswer, createDrillIn } from "../core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS, type DrillInLimits } from "../core/engines/limits.js";
import type { SqlOptions } from "../core/engines/sql/request.js";
import { extractTool } from "../presets/lro/extract.js";
import type { DrillInToolNames } from "../core/types/result.js";
import { MAX_TIMER_MS } from "../util/abort.js";
import { createMeasure } from "../core/measure/measure.js";
import { fileStore } from "../core/store/file/index.js";
import type { Command, ExitCode, Given, Surroundings } from "./command.js";
import { commandCalls } from "./command-line.js";
import { DIRECTORY_OPTIONS } from "./directory.js";
import { findOutput, type FoundOutput } from "./find-output.js";
import { jsonLine } from "./print/json-line.js";
import { printable } from "./print/printable.js";
import { programName } from "./program-name.js";
import { withProgress } from "./print/progress.js";
import { duration } from "./print/units.js";
import { wrongUsage } from "./wrong-usage.js";

/** The option of the commands that take several outputs. */
export const WITH_OPTION: Command["options"] = { with: { type: "string", multiple: true } };

/** Options of the commands that drill in. */
export const DRILL_IN_OPTIONS: Command["options"] = {
  "max-tokens": { type: "string" },
  timeout: { type: "string" },
  ...DIRECTORY_OPTIONS,
};

/** Answers speak of the commands where they would speak of a model's tools. */
function commandNames(program: string): DrillInToolNames {
  return {
    read: `${program} read`,
    grep: `${program} grep`,
    jq: `${program} jq`,
    sql: `${program} sql`,
    extract: `${program} extract`,
    // A terminal shows no file; this writes one.
    view: `${program} read --all`,
  };
}

/**
 * Answers as the tool of a model would, with the limits that hold there, and prints the answer: what went
 * wrong on standard error, everything else on standard output. Next calls stand there as command lines.
 *
 * @param args - The tool's arguments but for the output.
 * @param sql - Of the engine of the tool `sql`.
 * @throws {@link OffloadError} whatever {@link findOutput} throws.
 */
export async function drillInto(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  given: Given,
  surroundings: Surroundings,
  sql?: SqlOptions,
): Promise<ExitCode> {
  const limits = limitsOf(given);
  const found = await findOutput(given, surroundings);
  const { artifact, directory } = found;
  const others = await findOthers(found, given, surroundings);
  // The next command asks for the same length.
  const length = { max_tokens: given.number("max-tokens", 1) };
  const { now } = surroundings;
  const program = programName(surroundings);
  const names = commandNames(program);
  const drillIn = createDrillIn({
    store: fileStore({ directory, now }),
    measure: createMeasure(),
    limits,
    sql,
    tools: [extractTool],
    names: { ...names, sql: sql && names.sql },
    calls: commandCalls(found.directoryArgs, program),
    now,
  });
  try {
    const startedAt = performance.now();
    const answer = await withProgress(
      surroundings,
      () => `Running ${tool}: ${duration(performance.now() - startedAt)}`,
      () =>
        drillIn.run(
          tool,
          { ...args, ...others.args, ...length, id: artifact.id },
          { scope: artifact.scope, scopeOf: others.scopeOf },
        ),
    );
    return await printAnswer(answer, artifact.id, given, surroundings);
  } finally {
    await drillIn.close();
  }
}

/** The outputs of `--with`, each in the scope of its own record. */
async function findOthers(
  { artifact, directory }: FoundOutput,
  given: Given,
  surroundings: Surroundings,
): Promise<{ args: object; scopeOf: (id: string) => string }> {
  const scopes = new Map([[artifact.id, artifact.scope]]);
  const ids: Record<string, string> = {};
  for (const [name, reference] of Object.entries(pairsOf(given, "with"))) {
    const other = await findOutput(given, surroundings, String(reference));
    if (other.directory !== directory) {
      throw wrongUsage(
        `--with ${name} lies in another directory; all outputs of a call lie in one.`,
      );
    }
    scopes.set(other.artifact.id, other.artifact.scope);
    ids[name] = other.artifact.id;
  }
  const args = Object.keys(ids).length === 0 ? {} : { with: ids };
  return { args, scopeOf: (id) => scopes.get(id) ?? artifact.scope };
}

/** The limits of one answer, as the options say. */
function limitsOf(given: Given): DrillInLimits {
  const { maxOutputTokens, timeoutMs, ...others } = DEFAULT_DRILL_IN_LIMITS;
  const seconds = given.number("timeout", 1) ?? timeoutMs / 1000;
  return {
    ...others,
    maxOutputTokens: given.number("max-tokens", 1) ?? maxOutputTokens,
    timeoutMs: Math.min(seconds * 1000, MAX_TIMER_MS),
  };
}

/** Prints an answer: what went wrong on standard error, everything else on standard output. */
async function printAnswer(
  answer: DrillInAnswer,
  id: string,
  given: Given,
  { out, err }: Surroundings,
): Promise<ExitCode> {
  const { text, failed, tokens, foundCount } = answer;
  if (given.flag("json")) {
    await out.write(jsonLine({ id, text, failed, tokens, found: foundCount }));
  } else {
    const output = failed ? err : out;
    const shown = output.isTerminal ? printable(text) : text;
    await output.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  }
  if (failed) return 2;
  return foundCount === 0 ? 1 : 0;
}

/**
 * The values of an option `NAME=VALUE` that may stand several times.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when one has no `=`, or `read` throws.
 */
export function pairsOf(
  given: Given,
  option: string,
  read: (value: string) => unknown = (value) => value,
): Record<string, unknown> {
  return Object.fromEntries(
    given.list(option).map((pair) => {
      const at = pair.indexOf("=");
      const shown = JSON.stringify(pair);
      if (at < 1) throw wrongUsage(`--${option} is ${shown}; write NAME=VALUE.`);
      try {
        return [pair.slice(0, at), read(pair.slice(at + 1))];
      } catch {
        throw wrongUsage(`--${option} is ${shown}; the value is no JSON.`);
      }
    }),
  );
}
