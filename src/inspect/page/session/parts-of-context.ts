/** What a context is made of, from the bottom of the picture to its top: its word, and the custom property of its colour. */
export const PARTS: readonly {
  readonly part: string;
  readonly word: string;
  readonly color: string;
}[] = [
  { part: "system", word: "System prompt", color: "--part-system" },
  { part: "definitions", word: "Definitions of the read tools", color: "--part-definitions" },
  { part: "human", word: "Messages of people", color: "--part-human" },
  { part: "ai", word: "Messages of the model", color: "--part-ai" },
  { part: "result", word: "Whole outputs", color: "--part-result" },
  { part: "descriptor", word: "Short texts in place of outputs", color: "--part-descriptor" },
  { part: "drill-in", word: "Read on demand", color: "--part-drill-in" },
  { part: "aged", word: "Lines in place of stale outputs", color: "--part-aged" },
];

/** The word for a part; its name for one that this page does not know. */
export function wordOf(part: string): string {
  return PARTS.find((one) => one.part === part)?.word ?? part;
}
