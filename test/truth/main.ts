import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkAll, faultsOf } from "./check-all.js";
import { madeOutputs } from "./made-outputs.js";
import { realTexts } from "./real-outputs.js";
import { ROW_OUTPUTS } from "./row-outputs.js";

// Prints what descriptors say that is false: of the outputs of the rows, of generated ones and, with `--real`, of real
// ones, or of the files that are given with `--file`.
const { real, file: files } = parseArgs({
  options: { real: { type: "boolean" }, file: { type: "string", multiple: true } },
}).values;
const groups = files
  ? { files: files.map((name) => ({ name, text: readFileSync(name, "utf8") })) }
  : { rows: ROW_OUTPUTS, made: madeOutputs(), ...(real && { real: await realTexts() }) };
for (const [group, outputs] of Object.entries(groups)) {
  const results = await checkAll(group, outputs);
  for (const fault of faultsOf(results)) console.log(fault.slice(0, 300));
  const count = (key: "wrong" | "notUnderstood" | "notChecked"): number =>
    results.reduce((sum, { finding }) => sum + finding[key].length, 0);
  const claims = results.reduce((sum, { finding }) => sum + finding.claims, 0);
  console.log(
    `${group}: ${outputs.length} outputs, ${results.length} descriptors, ${claims} claims: ${count("wrong")} false, ${count("notUnderstood")} not understood, ${count("notChecked")} not checked`,
  );
}
