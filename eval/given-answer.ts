import { jsonValuesIn } from "./json-values.js";

/** Tells the model where its answer belongs; {@link givenAnswer} reads it there. */
export const ANSWER_RULE: string =
  "You answer questions about records that a tool returns. Work with the tools until you know the answer. " +
  "End with one line that is ANSWER: and the answer as JSON.";

/** The word where a line begins with it, whatever marks it up. */
const LINE_OF_ANSWER = /^[\s*_#>`-]{0,20}answer[\s*_`]{0,20}:/gim;
const WORD = "answer:";

/**
 * The answer in a model's last message: the JSON after the last line that begins with `ANSWER:`, or after the last
 * `answer:` anywhere, or else the last JSON value in the text. Code fences, thousands separators and words around it do
 * no harm. `undefined` when there is none.
 */
export function givenAnswer(text: string): unknown {
  const line = [...text.matchAll(LINE_OF_ANSWER)].at(-1);
  const word = text.toLowerCase().lastIndexOf(WORD);
  if (line === undefined && word === -1) return wholeOf(text) ?? jsonValuesIn(text).at(-1);
  const after = text.slice(line ? line.index + line[0].length : word + WORD.length);
  return wholeOf(after) ?? jsonValuesIn(after)[0];
}

/** The value when the text is one, in a code fence or not; a text between quotes is taken here only. */
function wholeOf(text: string): unknown {
  const bare = text.replace(/^[\s*`]{0,20}(?:json\b)?/i, "").trim();
  const end = bare.startsWith('"') ? endOfText(bare) : bare.length;
  try {
    return JSON.parse(bare.slice(0, end));
  } catch {
    return undefined;
  }
}

function endOfText(text: string): number {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
