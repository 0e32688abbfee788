import { Buffer } from "node:buffer";

import type { StoredArtifact } from "../../types/artifact.js";
import { charactersIn, decodeText } from "../../../util/text-encoding.js";
import type { DrillInContext } from "../shared/context.js";
import type { GrepRequest, GrepResult } from "../../engines/grep/engine.js";
import { behindUnsearched } from "../../engines/grep/unsearched.js";

/** A larger header is not looked at. */
const MAX_HEADER_BYTES = 4_194_304;
/** Where the header holds what stood around the records; what comes before is about the output. */
const ENVELOPE = Buffer.from('"envelope":');

/**
 * Searches what stands beside the records, which is in the header line: whoever finds nothing among the records may
 * mean that. `undefined` when there is nothing beside them, or no match in it.
 *
 * @throws {@link OffloadError} whatever the store throws, and the signal's reason when it aborts.
 */
export async function searchBeside(
  context: DrillInContext,
  artifact: StoredArtifact,
  request: Omit<GrepRequest, "source">,
  signal: AbortSignal | undefined,
): Promise<GrepResult | undefined> {
  const { headerBytes, encoding } = artifact;
  if (headerBytes === 0 || headerBytes > MAX_HEADER_BYTES) return undefined;
  const header = Buffer.from(await context.store.read(artifact, { start: 0, end: headerBytes }));
  const at = header.indexOf(ENVELOPE);
  if (at === -1) return undefined;
  const start = at + ENVELOPE.length;
  const source = { bytes: header.subarray(start) };
  const own = { ...request, part: undefined, firstLineNumber: 1, source };
  const result = await context.grep().run(own, signal);
  if (result.totalMatches === 0) return undefined;
  return behindUnsearched(result, charactersIn(decodeText(header.subarray(0, start), encoding)));
}
