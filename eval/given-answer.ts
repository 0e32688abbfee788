/** Tells the model where its answer belongs; {@link givenAnswer} reads it there. */
export const ANSWER_RULE: string =
  "You answer questions about records that a tool returns. Work with the tools until you know the answer. " +
  "End with one line that is ANSWER: and the answer as JSON.";

/**
 * The answer in a model's last message: the JSON after the last `ANSWER:`, or else the last JSON value in the text. Code
 * fences, thousands separators and words around it do no harm. `undefined` when there is none.
 */
export function givenAnswer(text: string): unknown {
  const at = text.toLowerCase().lastIndexOf("answer:");
  if (at !== -1) {
    const after = text.slice(at + "answer:".length).replaceAll(/[`*]+(?:json)?/g, " ");
    return parsed(after.trim()) ?? firstValue(after);
  }
  return parsed(text.trim()) ?? lastValue(text);
}

const VALUE = /\{[\s\S]*\}|\[[\s\S]*\]|-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/gi;

function firstValue(text: string): unknown {
  return valuesIn(text)[0];
}

function lastValue(text: string): unknown {
  return valuesIn(text).at(-1);
}

function valuesIn(text: string): unknown[] {
  return (text.match(VALUE) ?? [])
    .map((found) => parsed(/^[[{]/.test(found) ? found : found.replaceAll(",", "")))
    .filter((value) => value !== undefined);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
