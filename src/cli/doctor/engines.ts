import { createDrillIn } from "../../drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../drill-in/shared/limits.js";
import { createMeasure } from "../../measure/measure.js";
import { memoryStore } from "../../store/memory.js";
import { type Check, tried } from "./check.js";
import { PROBE_BODY, probeArtifact } from "./probe.js";

/** The checks of the tokenizer and of the engines that search and query, each by a run. */
export async function checkEngines(nowMs: number): Promise<Check[]> {
  const store = memoryStore({ maxBytes: 1024, now: () => nowMs });
  const { id, scope } = await store.put(probeArtifact(nowMs), [PROBE_BODY]);
  const measure = createMeasure();
  const limits = DEFAULT_DRILL_IN_LIMITS;
  const drillIn = createDrillIn({ store, measure, limits, names: {}, now: () => nowMs });

  async function timed(tool: "grep" | "jq", args: object): Promise<string> {
    const startedAt = performance.now();
    const { text, foundCount } = await drillIn[tool]({ id, ...args }, scope);
    if (foundCount !== 1) throw new Error(text);
    return `runs in a worker; the first answer took ${Math.round(performance.now() - startedAt)} ms`;
  }

  try {
    return [
      await tried("tokenizer", async () => {
        const { tokens, exact } = await measure.count("one two three");
        if (!exact || tokens !== 3) throw new Error(`o200k_base counts ${tokens} for 3 tokens`);
        return "o200k_base is loaded";
      }),
      await tried("grep", () => timed("grep", { pattern: "d.g" })),
      await tried("jq", () => timed("jq", { filter: 'select(.word == "cat")' })),
    ];
  } finally {
    await drillIn.close();
  }
}
