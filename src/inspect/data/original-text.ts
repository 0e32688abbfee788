import { originalValue } from "../../references/original-value.js";
import type { ArtifactStore } from "../../store/artifact-store.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { decodeText } from "../../util/text-encoding.js";
import { bytes as bytesInWords } from "../../util/amounts.js";
import { HttpFault } from "../server/http-fault.js";
import { MAX_DESCRIBED_BYTES } from "../wire.js";

/**
 * The text that a tool returned, made of what was stored: white space between the tokens of JSON apart, it is the same.
 *
 * @throws {@link HttpFault} for more than 32 MiB and for what is no text; whatever the store throws.
 */
export async function originalText(
  artifact: StoredArtifact,
  store: ArtifactStore,
): Promise<string> {
  const { sizeBytes, kind, headerBytes, encoding } = artifact;
  if (sizeBytes > MAX_DESCRIBED_BYTES) {
    const most = bytesInWords(MAX_DESCRIBED_BYTES);
    throw new HttpFault(413, `What stands in place of an output is made anew up to ${most}.`);
  }
  if (kind === "binary")
    throw new HttpFault(400, "Bytes that are no text have no other descriptor.");
  const bytes = await store.read(artifact);
  const text = (): string => decodeText(bytes.subarray(headerBytes), encoding);
  if (kind === "json-lines") return text();
  const value = await originalValue(artifact, bytes).catch(text);
  return typeof value === "string" ? value : JSON.stringify(value);
}
