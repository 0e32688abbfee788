import { StringDecoder } from "node:string_decoder";

import { createDrillIn } from "../core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../core/engines/limits.js";
import { resolveSql } from "../core/engines/sql/start.js";
import { createMeasure } from "../core/measure/measure.js";
import { fileStore } from "../core/store/file/index.js";
import { extractTool } from "../presets/lro/extract.js";
import { asBuffer } from "../util/text-encoding.js";
import { type Call, type ExitCode, wrongUsage } from "./call.js";
import { printable } from "../util/safe-text.js";
import { argumentsOf, commandCalls, pairsOf, PROGRAM } from "./command-line.js";
import { findOutput } from "./find-output.js";
import { writeText } from "./print.js";

const PIECE_BYTES = 1024 * 1024;

/**
 * Answers as the model's tool would, with the same limits. Errors go to standard error, and next
 * calls appear as command lines.
 * @throws {@link OffloadError} whatever {@link findOutput} throws.
 */
export async function drillInto(call: Call): Promise<ExitCode> {
  const { command: tool, now } = call;
  if (tool === "read" && call.flags["all"]) return await readAll(call);
  const { artifact, directory, given } = await findOutput(call);
  const { id, sessionKey } = artifact;
  const sessionKeys = new Map([[id, sessionKey]]);
  const others: Record<string, string> = {};
  for (const [name, reference] of Object.entries(pairsOf(call, "with", String))) {
    const { artifact: other, directory: place } = await findOutput(call, reference);
    if (place !== directory) throw wrongUsage(`--with ${name} is not in ${directory}.`);
    // Each belongs to the session of its record.
    sessionKeys.set(other.id, other.sessionKey);
    others[name] = other.id;
  }
  const sql = tool === "sql" ? resolveSql({}) : undefined;
  const keys = ["read", "grep", "jq", "extract", ...(sql ? ["sql"] : [])];
  const drillIn = createDrillIn({
    store: fileStore({ directory, now }),
    measure: createMeasure(),
    limits: DEFAULT_DRILL_IN_LIMITS,
    sql,
    tools: [extractTool],
    // Answers name commands instead of tools.
    names: Object.fromEntries(keys.map((key) => [key, `${PROGRAM} ${key}`])),
    calls: commandCalls(given),
    now,
  });
  try {
    const answer = await drillIn.run(
      tool,
      { ...argumentsOf(call), id, file_path: id, with: others },
      { sessionKey, sessionKeyOf: (id) => sessionKeys.get(id) ?? sessionKey },
    );
    const { text, failed, foundCount } = answer;
    await writeText(failed ? call.err : call.out, text);
    return failed ? 2 : foundCount === 0 ? 1 : 0;
  } finally {
    await drillIn.close();
  }
}

/** @throws {@link OffloadError} whatever {@link findOutput} and the store throw, and the error of standard output. */
async function readAll(call: Call): Promise<ExitCode> {
  const { out, now } = call;
  const { directory, artifact } = await findOutput(call);
  const { id, sizeBytes, sealed } = artifact;
  if (sealed !== undefined)
    throw wrongUsage(
      `${id} is encrypted with the key ${sealed.keyId}, which this program does not take.`,
    );
  const store = fileStore({ directory, now });
  const decoder = new StringDecoder("utf8");
  for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
    const piece = await store.read(artifact, { start, end: start + PIECE_BYTES });
    await out.write(out.isTerminal ? printable(decoder.write(asBuffer(piece))) : piece);
  }
  return 0;
}
