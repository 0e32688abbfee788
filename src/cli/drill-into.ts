import { createDrillIn } from "../core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../core/engines/limits.js";
import { resolveSql } from "../core/engines/sql/start.js";
import { createMeasure } from "../core/measure/measure.js";
import { fileStore } from "../core/store/file/index.js";
import { type Call, type ExitCode, wrongUsage } from "./call.js";
import { argumentsOf, commandCalls, pairsOf, PROGRAM } from "./command-line.js";
import { findOutput } from "./find-output.js";
import { writeText } from "./print.js";

/**
 * Answers as the model's tool would, with the same limits. Errors go to standard error, and next
 * calls appear as command lines.
 * @throws {@link OffloadError} whatever {@link findOutput} throws.
 */
export async function drillInto(call: Call): Promise<ExitCode> {
  const { command: tool, now } = call;
  const { artifact, directory, given } = await findOutput(call);
  const { id, sessionKey } = artifact;
  const keysById = new Map([[id, sessionKey]]);
  const others: Record<string, string> = {};
  for (const [name, reference] of Object.entries(pairsOf(call, "with", String))) {
    const { artifact: other, directory: place } = await findOutput(call, reference);
    if (place !== directory) throw wrongUsage(`--with ${name} is not in ${directory}.`);
    // Each belongs to the session of its record.
    keysById.set(other.id, other.sessionKey);
    others[name] = other.id;
  }
  const sql = tool === "sql" ? resolveSql({}) : undefined;
  const keys = ["read", "grep", "jq", ...(sql ? ["sql"] : [])];
  const drillIn = createDrillIn({
    store: fileStore({ directory, now }),
    measure: createMeasure(),
    limits: DEFAULT_DRILL_IN_LIMITS,
    sql,
    // Answers name commands instead of tools.
    names: Object.fromEntries(keys.map((key) => [key, `${PROGRAM} ${key}`])),
    calls: commandCalls(given),
    now,
  });
  try {
    const answer = await drillIn.run(
      tool,
      { ...argumentsOf(call), id, with: others },
      { sessionKey, placeOf: async (id) => ({ id, sessionKey: keysById.get(id) ?? sessionKey }) },
    );
    const { text, failed, foundCount } = answer;
    await writeText(failed ? call.err : call.out, text);
    return failed ? 2 : foundCount === 0 ? 1 : 0;
  } finally {
    await drillIn.close();
  }
}
