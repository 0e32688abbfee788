import type { Call } from "../call.js";

/** UTF-8 bytes that a UTF-16 unit takes at most. */
const MAX_BYTES_PER_UNIT = 3;

export function isShortText({ output, options }: Call): boolean {
  const { value, artifact } = output;
  const { selectResultSet, shortBytes } = options;
  // An artifact, or the set behind an answer, may be what is judged; an empty text is no output at all.
  if (typeof value !== "string" || value === "" || artifact !== undefined) return false;
  if (selectResultSet !== undefined || value.length > shortBytes) return false;
  return value.length * MAX_BYTES_PER_UNIT <= shortBytes || Buffer.byteLength(value) <= shortBytes;
}
