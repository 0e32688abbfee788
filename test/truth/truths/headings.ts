import MarkdownIt from "markdown-it";
import type { Evidence } from "./evidence.js";
import { htmlTruth } from "./markup.js";
import { isShown } from "./texts.js";

/** A heading as a descriptor shows it, or a parser finds it. */
export interface ShownHeading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
}

const headingsOf = new WeakMap<Evidence, readonly ShownHeading[]>();

function allHeadings(evidence: Evidence): readonly ShownHeading[] {
  const { kind, raw } = evidence;
  const found =
    headingsOf.get(evidence) ??
    (kind === "html" ? htmlTruth(raw).headings : markdownHeadings(evidence));
  headingsOf.set(evidence, found);
  return found;
}

function markdownHeadings({ raw, lines }: Evidence): readonly ShownHeading[] {
  const isFront = lines[0] === "---";
  const front = isFront
    ? lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)$/.test(line)) + 1
    : 0;
  const text = raw
    .split("\n")
    .map((line, at) => (at < front ? "" : line))
    .join("\n");
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  return tokens.flatMap((token, at): readonly ShownHeading[] => {
    // What stands in a list or a quotation heads no part of the text; headings of HTML are none of Markdown's.
    if (token.level > 0 || token.type !== "heading_open") return [];
    const { map, children } = tokens[at + 1] ?? {};
    const words = (children ?? []).map(({ type, content }) =>
      type === "text" || type === "code_inline" ? content : type.endsWith("break") ? " " : "",
    );
    const line = (map ?? token.map ?? [0])[0] + 1;
    return [{ line, level: Number(token.tag[1]), text: words.join("") }];
  });
}

/** Where a heading is, what it says, and how deep it is beside the others that are shown. */
export function headingTruth(
  { line, level, text }: ShownHeading,
  shown: readonly ShownHeading[],
  evidence: Evidence,
): string | undefined {
  const all = allHeadings(evidence);
  const found = all.find((heading) => heading.line === line);
  if (found === undefined) return "no heading is there";
  if (!isShown(text, found.text)) return `the heading is ${found.text.slice(0, 40)}`;
  const odd = shown.find((other) => {
    const beside = all.find((heading) => heading.line === other.line)?.level;
    return (
      beside !== undefined && Math.sign(beside - found.level) !== Math.sign(other.level - level)
    );
  });
  return odd && `level ${found.level}, beside line ${odd.line}`;
}

export function firstHeadingTruth(line: number, evidence: Evidence): string | undefined {
  const [first] = allHeadings(evidence);
  return first?.line === line ? undefined : `line ${first?.line}`;
}

export function headingsTruth(count: number, evidence: Evidence): string | undefined {
  const { length } = allHeadings(evidence);
  return length === count ? undefined : `${length} in all`;
}
