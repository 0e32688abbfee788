/** Runs two packed versions of the library over all corpora, and prints what differs. See CONTRIBUTING.md. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { compareVersions } from "./compare-versions.js";
import { KINDS, type Kind, summary } from "./differences.js";
import { BadInput, baseline } from "./packages.js";
import { CORPUS_NAMES, type CorpusName } from "./scenarios.js";

const USAGE = `Usage: npx tsx scripts/compare (A.tgz | --baseline) B.tgz [--json FILE] [--only KIND]... [--corpus NAME]...
  Kinds: ${KINDS.join(", ")}
  Corpora: ${CORPUS_NAMES.join(", ")}`;

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadInput)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values, positionals } = given();
  const only = chosen(values.only, KINDS, "kind of difference");
  const corpora = chosen(values.corpus, CORPUS_NAMES, "corpus");
  const [a, b, ...more] = values.baseline ? [baseline(), ...positionals] : positionals;
  if (a === undefined || b === undefined || more.length > 0) throw new BadInput(USAGE);
  const { scenarios, found } = await compareVersions(a, b, corpora);
  const shown = found.filter(({ kind }) => only.includes(kind));
  if (values.json !== undefined) {
    try {
      writeFileSync(values.json, `${JSON.stringify(shown, null, 2)}\n`);
    } catch (error) {
      throw new BadInput(`${values.json} cannot be written: ${String(error)}`);
    }
  }
  if (shown.length > 0) process.stdout.write(`${summary(shown)}\n\n`);
  process.stdout.write(`${scenarios} scenarios, ${shown.length} differences.\n`);
  return shown.length > 0 ? 1 : 0;
}

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        baseline: { type: "boolean" },
        json: { type: "string" },
        only: { type: "string", multiple: true },
        corpus: { type: "string", multiple: true },
      },
    });
  } catch (error) {
    throw new BadInput(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/** Those that were named, or all. */
function chosen<Name extends Kind | CorpusName>(
  names: readonly string[] | undefined,
  all: readonly Name[],
  what: string,
): readonly Name[] {
  const wrong = names?.find((name) => !all.some((one) => one === name));
  if (wrong !== undefined) throw new BadInput(`${wrong} is no ${what}: ${all.join(", ")}.`);
  return names === undefined ? all : all.filter((one) => names.includes(one));
}
