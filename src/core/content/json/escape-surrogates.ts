import { pause } from "../../../util/pause.js";

/** UTF-16 units between two turns of the event loop; when all are lone surrogates, some 15 ms. */
const CHUNK_UNITS = 65_536;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * JSON text without lone surrogates, which have no UTF-8: JSON can escape them. One that an escape's
 * backslash stands before is left: the two are no escape, and must not become one.
 */
export async function escapeSurrogates(text: string): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = chunkEnd(text, start);
    const chunk = text.slice(start, end);
    const from = start;
    parts.push(
      chunk.replaceAll(LONE_SURROGATE, (surrogate, offset: number) =>
        isEscaped(text, from + offset) ? surrogate : `\\u${surrogate.charCodeAt(0).toString(16)}`,
      ),
    );
    start = end;
    if (start < text.length) await pause();
  }
  return parts.join("");
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && text[start - 1] === "\\") start -= 1;
  return (at - start) % 2 === 1;
}

/** A pair of surrogates stays together. */
function chunkEnd(text: string, start: number): number {
  const end = Math.min(text.length, start + CHUNK_UNITS);
  const isLead = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isLead && end < text.length ? end - 1 : end;
}
