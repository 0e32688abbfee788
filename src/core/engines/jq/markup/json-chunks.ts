/** Text that is handed on at once, in UTF-16 units. */
const CHUNK_CHARACTERS = 1 << 16;
const MAX_DEPTH = 1_100;
/** What a document may grow to by what it names more than once: parts of JSON, and characters. */
const MAX_PARTS_GROWTH = 4;
const LEAST_PARTS = 200_000;
const MAX_GROWTH = 16;
const LEAST_LIMIT = 4_000_000;
const TOO_LARGE = "its aliases make it too large.";

/**
 * A value as JSON text in parts. What stands in several places of it is written as often.
 *
 * @param sourceCharacters - Of the text that it was read from.
 * @throws Error when it becomes many times as long as that text, or contains itself.
 */
export function* jsonChunks(value: unknown, sourceCharacters: number): Generator<string> {
  const maxCharacters = Math.max(LEAST_LIMIT, MAX_GROWTH * sourceCharacters);
  const maxParts = Math.max(LEAST_PARTS, MAX_PARTS_GROWTH * sourceCharacters);
  let [written, parts] = [0, 0];
  let text = "";
  for (const part of partsOf(value, 0)) {
    text += part;
    parts += 1;
    if (parts > maxParts) throw new Error(TOO_LARGE);
    if (text.length < CHUNK_CHARACTERS) continue;
    written += text.length;
    if (written > maxCharacters) throw new Error(TOO_LARGE);
    yield text;
    text = "";
  }
  yield `${text}\n`;
}

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "null");
    return;
  }
  if (depth > MAX_DEPTH) throw new Error(`it is nested deeper than ${MAX_DEPTH} levels.`);
  const isArray = Array.isArray(value);
  yield isArray ? "[" : "{";
  let comma = "";
  for (const [key, member] of Object.entries(value)) {
    yield isArray ? comma : `${comma}${JSON.stringify(key)}:`;
    yield* partsOf(member, depth + 1);
    comma = ",";
  }
  yield isArray ? "]" : "}";
}
