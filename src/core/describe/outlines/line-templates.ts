import { shorten } from "../../../util/safe-text.js";
import type { OutlineEntry } from "./outline.js";
import { grouped } from "../../../util/amounts.js";

/** Lines that are alike but for numbers, ids, quoted parts and single words. */
export interface LineTemplates {
  /**
   * @param text - A message without its time, what varies in it masked.
   * @param severity - 0 for errors, 1 for warnings, 2 for others.
   */
  readonly add: (text: string, line: number, severity: number) => void;
  /** The kinds that came more than once, the gravest first, then the commonest. */
  readonly entries: () => readonly OutlineEntry[];
  /** Kinds of lines that were told apart. */
  readonly total: () => number;
  /** Lines of kinds that came more than once. */
  readonly repeated: () => number;
}

interface Template {
  readonly words: string[];
  readonly firstLine: number;
  readonly severity: number;
  count: number;
}

/** What is shown of a template. */
const SHOWN_CHARACTERS = 90;
const SHOWN_TEMPLATES = 60;
/** Kinds of errors that come first, and of warnings. */
const MAX_GRAVE = 3;
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
  const texts = new Map<
    string,
    { readonly line: number; readonly severity: number; count: number }
  >();
  const byStart = new Map<string, Template[]>();
  let templates: Template[] = [];
  let otherLines = 0;

  function join(): void {
    for (const [text, { line, severity, count }] of texts)
      joinOne({ words: text.split(" "), firstLine: line, severity, count });
    texts.clear();
  }

  function joinOne(template: Template): void {
    const { words, count } = template;
    const start = `${words.length} ${words[0]} ${words[1]}`;
    const alike = byStart.get(start) ?? [];
    const like = alike.find((other) => isLike(other.words, words)) ?? alike[MAX_ALIKE - 1];
    if (like !== undefined) {
      for (let at = 0; at < words.length; at += 1)
        if (like.words[at] !== words[at]) like.words[at] = VARYING_WORD;
      like.count += count;
    } else if (templates.length < MAX_TEMPLATES) {
      templates.push(template);
      byStart.set(start, [...alike, template]);
    } else otherLines += count;
  }

  const repeated = (): readonly Template[] => {
    join();
    return templates.filter(({ count }) => count > 1);
  };

  return {
    add(text, line, severity) {
      const known = texts.get(text);
      if (known !== undefined) known.count += 1;
      else texts.set(text, { line, severity, count: 1 });
      if (texts.size > MAX_TEXTS) join();
    },
    entries() {
      const all = repeated().toSorted(
        (one, other) => other.count - one.count || one.firstLine - other.firstLine,
      );
      const grave = [0, 1].flatMap((severity) =>
        all.filter((template) => template.severity === severity).slice(0, MAX_GRAVE),
      );
      return [...new Set([...grave, ...all])]
        .slice(0, SHOWN_TEMPLATES)
        .map(({ words, firstLine, count }, at) => ({
          text: `${grouped(count)}x, first in line ${firstLine}: ${shorten(words.join(" "), SHOWN_CHARACTERS)}`,
          rank: at < grave.length ? 0 : 1,
          weight: count,
        }));
    },
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
