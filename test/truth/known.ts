import { readFileSync } from "node:fs";
import { check, type Finding } from "./check.js";
import { describeAll, type RawOutput, WAYS } from "./describe-output.js";

/** What is said of outputs, by way and output: `default/S3 versions and codes`. */
type Said = Readonly<Record<string, readonly string[]>>;

/** Which false claims descriptors make today; it may only get shorter. */
export interface Known {
  readonly wrong: Said;
  /** Lines that are not understood, and claims that are not computed again, by their number. */
  readonly notUnderstood: Said;
  readonly notChecked: Readonly<Record<string, number>>;
}

/** Reads what is known. */
export function knownClaims(): Known {
  return JSON.parse(readFileSync(new URL("known-false.json", import.meta.url), "utf8")) as Known;
}

/** What was found of one output in one way. */
export interface Result {
  readonly name: string;
  readonly finding: Finding;
}

/** Checks outputs in every way; an output that stays as it is has no claims. */
export async function checkAll(
  group: string,
  outputs: readonly RawOutput[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const way of Object.keys(WAYS)) {
    const described = await describeAll(outputs, way);
    for (const output of outputs) {
      const found = described.get(output.name);
      if (found !== undefined)
        results.push({ name: `${group}/${way}/${output.name}`, finding: check(output, found) });
    }
  }
  return results;
}

/** All that is false, all that is not understood, and how much is not checked, in the form of what is known. */
export function summed(group: string, results: readonly Result[]): Known {
  const pick = (of: (finding: Finding) => readonly string[]): Said =>
    Object.fromEntries(
      results
        .map(({ name, finding }) => [name, [...new Set(of(finding))]] as const)
        .filter(([, said]) => said.length > 0),
    );
  return {
    wrong: pick(({ wrong }) => wrong.map(({ said }) => said)),
    notUnderstood: pick(({ notUnderstood }) => notUnderstood),
    notChecked: {
      [group]: results.reduce((sum, { finding }) => sum + finding.notChecked.length, 0),
    },
  };
}

/** The part of what is known that is of one group. */
export function ofGroup(group: string, { wrong, notUnderstood, notChecked }: Known): Known {
  const own = (said: Said): Said =>
    Object.fromEntries(Object.entries(said).filter(([name]) => name.startsWith(`${group}/`)));
  return {
    wrong: own(wrong),
    notUnderstood: own(notUnderstood),
    notChecked: { [group]: notChecked[group] ?? 0 },
  };
}
