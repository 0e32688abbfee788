import { decodeText, unfinishedBytes } from "../../util/text-encoding.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { fileStore } from "../../core/store/file/index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { ExitCode, Given, Surroundings } from "../command.js";
import { findOutput } from "../find-output.js";
import { jsonLine } from "../print/json-line.js";
import { printable } from "../print/printable.js";
import { withProgress } from "../print/progress.js";
import { bytes } from "../../util/amounts.js";
import { safeJson } from "../../util/safe-text.js";

/** Read at once; memory stays in this order however large the output is. */
const PIECE_BYTES = 1024 * 1024;
const CARRIAGE_RETURN = 13;

/**
 * Writes a whole output to standard output: its bytes, its text with escapes on a terminal, or its text in
 * one JSON object.
 *
 * @throws {@link OffloadError} whatever `findOutput` and the store throw, and the error of the output.
 */
export async function readAll(given: Given, surroundings: Surroundings): Promise<ExitCode> {
  const { directory, artifact } = await findOutput(given, surroundings);
  const { out, now } = surroundings;
  const store = fileStore({ directory, now });
  if (given.flag("json")) {
    const start = jsonLine({ id: artifact.id, text: "" }).trimEnd().slice(0, -2);
    await out.write(start);
    for await (const text of texts(store, artifact)) await out.write(safeJson(text).slice(1, -1));
    await out.write('"}\n');
    return 0;
  }
  if (out.isTerminal) {
    for await (const text of texts(store, artifact)) await out.write(printable(text));
    return 0;
  }
  let written = 0;
  await withProgress(
    surroundings,
    () => `Reading: ${bytes(written)} of ${bytes(artifact.sizeBytes)}`,
    async () => {
      for await (const piece of pieces(store, artifact)) {
        await out.write(piece);
        written += piece.length;
      }
    },
  );
  return 0;
}

async function* pieces(store: ArtifactStore, artifact: StoredArtifact): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < artifact.sizeBytes; start += PIECE_BYTES) {
    yield await store.read(artifact, { start, end: start + PIECE_BYTES });
  }
}

/** The same as text, neither a character nor CR and LF divided. */
async function* texts(store: ArtifactStore, artifact: StoredArtifact): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array();
  for await (const piece of pieces(store, artifact)) {
    const known = Buffer.concat([rest, piece]);
    const whole = known.length - unfinishedBytes(known, artifact.encoding);
    const end = known[whole - 1] === CARRIAGE_RETURN ? whole - 1 : whole;
    yield decodeText(known.subarray(0, end), artifact.encoding);
    rest = known.subarray(end);
  }
  yield decodeText(rest, artifact.encoding);
}
