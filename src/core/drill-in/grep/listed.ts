import { counted } from "../shared/answer/answer.js";
import { escapeTexts } from "../shared/answer/shown-text.js";
import type { FoundText, GrepLine, GrepResult } from "../../engines/grep/job.js";
import type { GrepQuestion } from "./question.js";
import { grouped } from "../../../util/amounts.js";

/** One line of the answer: `12:text` for a hit, `12-text` for context, with its place when it is cut. */
function layOut({ lineNumber, text, match, character, lineLength, occurrences }: GrepLine): string {
  const line = `${lineNumber}${match ? ":" : "-"}${text}`;
  if (character === undefined || lineLength === undefined) return line;
  const [at, all] = [character, lineLength].map(grouped);
  if (occurrences === undefined) return `${line} [cut: from character ${at} of ${all}]`;
  const more = occurrences > 1 ? `, the first of ${counted(occurrences, "occurrence")}` : "";
  return `${line} [cut: hit at character ${at} of ${all}${more}]`;
}

/** Lines as items, a `--` in front of each that does not follow the one before. */
function itemsOf(lines: readonly GrepLine[], hasContext: boolean): string[] {
  return lines.map((line, index) => {
    const previous = lines[index - 1];
    const isApart = previous !== undefined && previous.lineNumber + 1 !== line.lineNumber;
    return hasContext && isApart ? `--\n${layOut(line)}` : layOut(line);
  });
}

/** A text that was found, with the place where it first stands. */
function layOutText({ text, count, lineNumber, character }: FoundText): string {
  const times = count === 1 ? "" : ` (${grouped(count)} times)`;
  return `${lineNumber}:${character}:${text}${times}`;
}

/** Hits as items, each with its context; a `--` behind each that the next does not follow. */
function itemsOfHits(lines: readonly GrepLine[], { before, after }: GrepQuestion): string[] {
  const groups: GrepLine[][] = [];
  let hitNumber: number | undefined;
  for (const line of lines) {
    const isBehind = hitNumber !== undefined && line.lineNumber <= hitNumber + after;
    const isNew = groups.length === 0 || (hitNumber !== undefined && (line.match || !isBehind));
    if (isNew) groups.push([]);
    groups.at(-1)?.push(line);
    if (line.match) hitNumber = line.lineNumber;
    else if (isNew) hitNumber = undefined;
  }
  return groups.map((group, index) => {
    const next = groups[index + 1]?.[0]?.lineNumber;
    const isApart = next !== undefined && (group.at(-1)?.lineNumber ?? 0) + 1 !== next;
    const text = group.map(layOut).join("\n");
    return before + after > 0 && isApart ? `${text}\n--` : text;
  });
}

/** What is listed. */
interface Listed {
  readonly items: readonly string[];
  /** Hits among so many items: the first of them, or the last where the last hits are asked for. */
  readonly matches: (shown: number) => number;
  readonly isEscaped: boolean;
}

/** Lays out what a search has found. */
export function listedOf(question: GrepQuestion, { lines, texts }: GrepResult): Listed {
  if (texts !== undefined) {
    const found = escapeTexts(texts.listed.map(({ text }) => text));
    const items = texts.listed.map((one, index) =>
      layOutText({ ...one, text: found.texts[index] ?? "" }),
    );
    return { items, matches: (shown) => shown, isEscaped: found.isEscaped };
  }
  const listed = question.countOnly ? [] : lines;
  const { texts: shown, isEscaped } = escapeTexts(listed.map(({ text }) => text));
  const laidOut = listed.map((line, index) => ({ ...line, text: shown[index] ?? "" }));
  if (question.last > 0)
    return { items: itemsOfHits(laidOut, question), matches: (count) => count, isEscaped };
  return {
    items: itemsOf(laidOut, question.before + question.after > 0),
    matches: (count) => listed.slice(0, count).filter((line) => line.match).length,
    isEscaped,
  };
}
