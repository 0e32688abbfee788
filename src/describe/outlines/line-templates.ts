import { shorten } from "../../util/safe-text.js";
import type { OutlineEntry } from "./outline.js";

/** Lines that are alike but for numbers, ids, quoted parts and single words. */
export interface LineTemplates {
  /** @param text - A message without its time, what varies in it masked. */
  readonly add: (text: string, line: number) => void;
  /** The kinds that came more than once, the commonest first. */
  readonly entries: () => readonly OutlineEntry[];
  /** Kinds of lines that were told apart. */
  readonly total: () => number;
  /** Lines of kinds that came more than once. */
  readonly repeated: () => number;
}

interface Template {
  readonly words: string[];
  readonly firstLine: number;
  count: number;
}

/** What is shown of a template. */
const SHOWN_CHARACTERS = 90;
const SHOWN_TEMPLATES = 60;
/** Different texts that are held before they are joined to templates. */
const MAX_TEXTS = 1_000;
/** Templates, all and those with one beginning; further lines are of the last one's kind. */
const MAX_TEMPLATES = 1_000;
const MAX_ALIKE = 8;
/** Words that two lines of one kind have in common, at least. */
const COMMON_SHARE = 0.5;
const VARYING_WORD = "*";

/** Tells kinds of lines apart. */
export function createLineTemplates(): LineTemplates {
  const texts = new Map<string, { readonly line: number; count: number }>();
  const byStart = new Map<string, Template[]>();
  let templates: Template[] = [];
  let otherLines = 0;

  function join(): void {
    for (const [text, { line, count }] of texts) joinOne(text.split(" "), line, count);
    texts.clear();
  }

  function joinOne(words: string[], line: number, count: number): void {
    const start = `${words.length} ${words[0]} ${words[1]}`;
    const alike = byStart.get(start) ?? [];
    const like = alike.find((template) => isLike(template.words, words)) ?? alike[MAX_ALIKE - 1];
    if (like !== undefined) {
      for (let at = 0; at < words.length; at += 1)
        if (like.words[at] !== words[at]) like.words[at] = VARYING_WORD;
      like.count += count;
    } else if (templates.length < MAX_TEMPLATES) {
      const template = { words, firstLine: line, count };
      templates.push(template);
      byStart.set(start, [...alike, template]);
    } else otherLines += count;
  }

  const repeated = (): readonly Template[] => {
    join();
    return templates.filter(({ count }) => count > 1);
  };

  return {
    add(text, line) {
      const known = texts.get(text);
      if (known !== undefined) known.count += 1;
      else texts.set(text, { line, count: 1 });
      if (texts.size > MAX_TEXTS) join();
    },
    entries: () =>
      repeated()
        .toSorted((one, other) => other.count - one.count || one.firstLine - other.firstLine)
        .slice(0, SHOWN_TEMPLATES)
        .map(({ words, firstLine, count }) => ({
          text: `${count.toLocaleString("en-US")}x, first in line ${firstLine}: ${shorten(words.join(" "), SHOWN_CHARACTERS)}`,
          rank: 1,
          weight: count,
        })),
    total: () => templates.length + otherLines,
    repeated: () => repeated().reduce((sum, { count }) => sum + count, 0),
  };
}

function isLike(words: readonly string[], others: readonly string[]): boolean {
  let same = 0;
  for (let at = 0; at < words.length; at += 1)
    if (words[at] === others[at] || words[at] === VARYING_WORD) same += 1;
  return same >= words.length * COMMON_SHARE;
}
