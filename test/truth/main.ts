import { readFileSync } from "node:fs";
import { checkAll, faultsOf, type Result } from "./check-all.js";
import { madeOutputs } from "./made-outputs.js";
import { realTexts } from "./real-outputs.js";
import { ROW_OUTPUTS } from "./row-outputs.js";
import type { RawOutput } from "./describe-output.js";

const USAGE = "usage: npx tsx test/truth/main.ts [--real] [--file FILE]...";

/**
 * Prints what descriptors say that is false: of the outputs of the rows, of generated ones and, with `--real`, of real ones, or of
 * the given files.
 */
async function main(args: readonly string[]): Promise<number> {
  const files: RawOutput[] = [];
  let isReal = false;
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at + 1] ?? "";
    if (args[at] === "--real") isReal = true;
    else if (args[at] === "--file" && value !== "") {
      try {
        files.push({ name: value, text: readFileSync(value, "utf8") });
      } catch (error) {
        console.error(`${value} cannot be read: ${String(error)}`);
        return 2;
      }
      at += 1;
    } else {
      console.error(USAGE);
      return 2;
    }
  }
  const groups: Readonly<Record<string, readonly RawOutput[]>> =
    files.length > 0
      ? { files }
      : { rows: ROW_OUTPUTS, made: madeOutputs(), ...(isReal && { real: await realTexts() }) };
  for (const [group, outputs] of Object.entries(groups)) {
    const found = await checkAll(group, outputs);
    print(group, outputs.length, found);
  }
  return 0;
}

function print(group: string, outputs: number, results: readonly Result[]): void {
  for (const fault of faultsOf(results)) console.log(fault.slice(0, 300));
  const count = (key: "wrong" | "notUnderstood" | "notChecked"): number =>
    results.reduce((sum, { finding }) => sum + finding[key].length, 0);
  const claims = results.reduce((sum, { finding }) => sum + finding.claims, 0);
  console.log(
    `${group}: ${outputs} outputs, ${results.length} descriptors, ${claims} claims: ${count("wrong")} false, ${count("notUnderstood")} not understood, ${count("notChecked")} not checked`,
  );
}

process.exitCode = await main(process.argv.slice(2));
