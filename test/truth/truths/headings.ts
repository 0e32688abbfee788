import MarkdownIt from "markdown-it";
import type { Evidence } from "./evidence.js";
import { htmlTruth } from "./markup.js";
import { isShown } from "./texts.js";

/** A heading as a parser finds it. */
interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
}

const headingsOf = new WeakMap<Evidence, readonly Heading[] | undefined>();

/** The headings of Markdown and HTML; `undefined` of a text, whose headings are only told by how they look. */
function allHeadings(evidence: Evidence): readonly Heading[] | undefined {
  if (headingsOf.has(evidence)) return headingsOf.get(evidence);
  const found =
    evidence.kind === "markdown"
      ? markdownHeadings(evidence)
      : evidence.kind === "html"
        ? htmlTruth(evidence.raw).headings
        : undefined;
  headingsOf.set(evidence, found);
  return found;
}

function markdownHeadings({ raw, lines }: Evidence): readonly Heading[] {
  const isFront = lines[0] === "---";
  const front = isFront
    ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)$/.test(line)) + 1
    : 0;
  const text = raw
    .split("\n")
    .map((line, at) => (at < front ? "" : line))
    .join("\n");
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  return tokens.flatMap((token, at): readonly Heading[] => {
    const line = (token.map?.[0] ?? 0) + 1;
    // What stands in a list or a quotation heads no part of the text.
    if (token.level > 0) return [];
    if (token.type === "heading_open") {
      const inline = tokens[at + 1];
      const words = (inline?.children ?? [])
        .map(({ type, content }) =>
          type === "text" || type === "code_inline" ? content : type.endsWith("break") ? " " : "",
        )
        .join("");
      return [
        {
          line: inline?.map ? inline.map[0] + 1 : line,
          level: Number(token.tag[1]),
          text: words,
        },
      ];
    }
    // Headings of HTML are none of Markdown's.
    return [];
  });
}

/** A heading as a descriptor shows it. */
export interface ShownHeading {
  readonly line: number;
  readonly depth: number;
  readonly text: string;
  readonly lines?: number;
}

/** Where a heading is, what it says, how many lines are under it, and how deep it is beside the others that are shown. */
export function headingTruth(
  { line, depth, text, lines }: ShownHeading,
  shown: readonly ShownHeading[],
  evidence: Evidence,
): string | undefined {
  const all = allHeadings(evidence);
  if (all === undefined) {
    const own = evidence.lines[line - 1];
    return isShown(text, own ?? "") ? undefined : `line ${line} is ${own?.slice(0, 40)}`;
  }
  const at = all.findIndex((heading) => heading.line === line);
  const found = all[at];
  if (found === undefined) return "no heading is there";
  if (!isShown(text, found.text)) return `the heading is ${found.text.slice(0, 40)}`;
  const odd = shown.find((other) => {
    const level = all.find((heading) => heading.line === other.line)?.level;
    return level !== undefined && Math.sign(level - found.level) !== Math.sign(other.depth - depth);
  });
  if (odd !== undefined) return `level ${found.level}, beside line ${odd.line}`;
  const next = all.slice(at + 1).find(({ level }) => level <= found.level);
  const last = evidence.raw.endsWith("\n") ? evidence.lines.length - 1 : evidence.lines.length;
  const count = (next?.line ?? last + 1) - line;
  return lines === undefined || lines === count ? undefined : `${count} lines`;
}

export function firstHeadingTruth(line: number, evidence: Evidence): string | undefined {
  const first = allHeadings(evidence)?.[0]?.line ?? line;
  return first === line ? undefined : `line ${first}`;
}

export function headingsTruth(count: number, evidence: Evidence): string | undefined {
  const all = allHeadings(evidence);
  return all === undefined || all.length === count ? undefined : `${all.length} in all`;
}
