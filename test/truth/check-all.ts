import { createOffloader, memoryStore, type OffloadOptions } from "../../src/core.js";
import { metaCc, vectara } from "../../src/presets/index.js";
import { check, type Finding } from "./check.js";
import type { RawOutput } from "./truths/evidence.js";

/** What was found of one output in one way. */
export interface Result {
  readonly name: string;
  readonly finding: Finding;
}

/** Ways in which an output is described. */
const WAYS: Readonly<Record<string, OffloadOptions>> = {
  default: {},
  vectara: { preset: vectara({ onWarning: () => {} }) },
  metaCc: { preset: metaCc() },
};

/** Describes outputs in every way and checks what is said; an output that stays as it is has no claims. */
export async function checkAll(
  group: string,
  outputs: readonly RawOutput[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [way, options] of Object.entries(WAYS)) {
    const limits = { threshold: { tokens: 300 }, store: memoryStore() };
    const offloader = createOffloader({ ...options, ...limits });
    for (const output of outputs) {
      const { name, text: value, toolName = "get_data" } = output;
      const result = await offloader.offload({ toolName, value, sessionId: name });
      if (result.outcome !== "offloaded") continue;
      const stored = new TextDecoder().decode(await offloader.store.read(result.storedArtifact));
      const finding = check(output, { descriptor: result.text, stored });
      results.push({ name: `${group}/${way}/${name}`, finding });
    }
    await offloader.close();
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
