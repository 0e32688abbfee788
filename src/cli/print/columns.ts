/** What a terminal shows over two columns: writing of East Asia, full-width forms, pictures. */
const WIDE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Tangut}\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\uac00-\ud7a3\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji}\ufe0f/u;
/** Katakana and Hangul of half width. */
const HALF = /^[\uff61-\uffdc]/;
/** Marks that stand over, under or around others, and what is not shown at all. */
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const SEGMENTER = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Columns of a terminal that a text on one line takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of SEGMENTER.segment(text)) columns += columnsOfCharacter(segment);
  return columns;
}

/** The text when it takes at most these columns, otherwise its head and `…`. */
export function cutToColumns(text: string, maxColumns: number): string {
  let columns = 0;
  let head = "";
  for (const { segment } of SEGMENTER.segment(text)) {
    const width = columnsOfCharacter(segment);
    if (columns + width > maxColumns) return `${fitting(head, maxColumns - 1)}…`;
    columns += width;
    head += segment;
  }
  return text;
}

/** The text with spaces up to these columns, after it or before it. */
export function padToColumns(text: string, columns: number, align: "left" | "right"): string {
  const spaces = " ".repeat(Math.max(0, columns - columnsOf(text)));
  return align === "left" ? text + spaces : spaces + text;
}

function fitting(text: string, maxColumns: number): string {
  let columns = 0;
  let head = "";
  for (const { segment } of SEGMENTER.segment(text)) {
    columns += columnsOfCharacter(segment);
    if (columns > maxColumns) break;
    head += segment;
  }
  return head;
}

function columnsOfCharacter(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) && !HALF.test(grapheme) ? 2 : 1;
}
