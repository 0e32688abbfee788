import { check, type Finding } from "./check.js";
import { describeAll, type RawOutput, WAYS } from "./describe-output.js";

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

/** All that is false, and all that is not understood. */
export function faultsOf(results: readonly Result[]): readonly string[] {
  return results.flatMap(({ name, finding: { wrong, notUnderstood } }) => [
    ...wrong.map(({ said, truth }) => `${name}: ${said} | in truth ${truth}`),
    ...notUnderstood.map((said) => `${name}: not understood: ${said}`),
  ]);
}
