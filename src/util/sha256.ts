import { createHash } from "node:crypto";

import { BYTES_BETWEEN_PAUSES, pause } from "./pause.js";

/** SHA-256 in hex. The event loop gets its turn every MiB. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let from = 0; from < bytes.length; from += BYTES_BETWEEN_PAUSES) {
    if (from > 0) await pause();
    hash.update(bytes.subarray(from, from + BYTES_BETWEEN_PAUSES));
  }
  return hash.digest("hex");
}
