import { readFileSync, writeFileSync } from "node:fs";
import { checkAll, knownClaims, type Result, summed } from "./known.js";
import { madeOutputs } from "./made-outputs.js";
import { realTexts } from "./real-outputs.js";
import { ROW_OUTPUTS } from "./row-outputs.js";
import type { RawOutput } from "./describe-output.js";

const USAGE = "usage: npx tsx test/truth/main.ts [--real] [--file FILE]... [--json FILE] [--list]";

/**
 * Prints what descriptors say that is false: of the outputs of the rows, of generated ones and, with `--real`, of real ones, or of
 * the given files. `--list` writes it into the list of what is known.
 */
async function main(args: readonly string[]): Promise<number> {
  const files: RawOutput[] = [];
  let [json, isReal, isListed] = ["", false, false];
  for (let at = 0; at < args.length; at += 1) {
    const value = args[at + 1] ?? "";
    if (args[at] === "--real") isReal = true;
    else if (args[at] === "--list") isListed = true;
    else if (args[at] === "--json" && value !== "") [json, at] = [value, at + 1];
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
  const results: Result[] = [];
  let known = knownClaims();
  for (const [group, outputs] of Object.entries(groups)) {
    const found = await checkAll(group, outputs);
    results.push(...found);
    print(group, outputs.length, found);
    const { wrong, notUnderstood, notChecked } = summed(group, found);
    const others = (said: object): object =>
      Object.fromEntries(Object.entries(said).filter(([name]) => !name.startsWith(`${group}/`)));
    known = {
      wrong: { ...others(known.wrong), ...wrong },
      notUnderstood: { ...others(known.notUnderstood), ...notUnderstood },
      notChecked: { ...known.notChecked, ...notChecked },
    };
  }
  if (json !== "") writeFileSync(json, `${JSON.stringify(results, undefined, 1)}\n`);
  if (isListed && files.length === 0)
    writeFileSync(
      new URL("known-false.json", import.meta.url),
      `${JSON.stringify(known, undefined, 1)}\n`,
    );
  return 0;
}

function print(group: string, outputs: number, results: readonly Result[]): void {
  let [claims, wrong, notUnderstood, notChecked] = [0, 0, 0, 0];
  for (const { name, finding } of results) {
    claims += finding.claims;
    wrong += finding.wrong.length;
    notUnderstood += finding.notUnderstood.length;
    notChecked += finding.notChecked.length;
    for (const { said, truth } of finding.wrong)
      console.log(`${name}: ${said.slice(0, 240)} | in truth ${truth}`);
    for (const said of finding.notUnderstood) console.log(`${name}: not understood: ${said}`);
  }
  console.log(
    `${group}: ${outputs} outputs, ${results.length} descriptors, ${claims} claims: ${wrong} false, ${notUnderstood} not understood, ${notChecked} not checked`,
  );
}

process.exitCode = await main(process.argv.slice(2));
