import { shorten } from "../../../util/safe-text.js";
import { LINE_CHARACTERS, type Outline, type OutlineEntry, type OutlineReader } from "./outline.js";

interface HeadingList {
  readonly add: (line: number, level: number, text: string) => void;
  readonly outline: () => Outline | undefined;
}

const MAX_HEADINGS = 2_000;
const SHOWN_CHARACTERS = 60;

export function createHeadings(): HeadingList {
  const entries: OutlineEntry[] = [];
  let total = 0;
  return {
    add(line, level, text) {
      total += 1;
      if (total > MAX_HEADINGS) return;
      entries.push({
        text: `${line}: ${"#".repeat(level)} ${shorten(text, SHOWN_CHARACTERS)}`,
        rank: total === 1 ? 0 : level,
        weight: -line,
      });
    },
    outline() {
      if (total === 0) return undefined;
      return { facts: ["line: heading"], entries, total, noun: "headings", hasLines: true };
    },
  };
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)/;
const COMMENT = /^ {0,3}<!--/;
const ATX = /^ {0,3}(#{1,6})[ \t]+(\S.*)/;
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,}) {0,3}$/;
const PLAIN_START = /^(?!\d{1,9}[.)]\s|\[[^\]]{1,99}\]:)[^\s\-*+>|#<=]/;
const MAX_FRONT_MATTER = 200;

export function markdownReader(): OutlineReader {
  const list = createHeadings();
  let fence = "";
  let isFrontMatter = false;
  let isComment = false;
  /** The line above, if it begins a paragraph; `""` if the next one may. */
  let above = "";

  function takeLine(line: string, number: number) {
    const before = above;
    above = "";
    const [, mark = "", info = ""] = FENCE.exec(line) ?? [];
    if (isComment) isComment = !line.includes("-->");
    // A closing fence is as long as the opening one and has no info.
    else if (fence !== "") fence = mark.startsWith(fence) && info.trim() === "" ? "" : fence;
    else if (mark !== "" && !(mark.startsWith("`") && info.includes("`"))) fence = mark;
    else if (COMMENT.test(line)) isComment = line.length < LINE_CHARACTERS && !line.includes("-->");
    else {
      const [, marks, title = ""] = ATX.exec(line) ?? [];
      if (marks !== undefined) list.add(number, marks.length, withoutMarks(title));
      else if (!UNDERLINE.test(line)) above = line.trim() && (before === "" ? line : "-");
      else if (PLAIN_START.test(before))
        list.add(number - 1, line.includes("=") ? 1 : 2, withoutMarks(before));
    }
  }

  return {
    take(line, number) {
      if (number === 1 && line === "---") isFrontMatter = true;
      else if (isFrontMatter)
        isFrontMatter =
          !/^(?:---|\.\.\.)$/.test(line) &&
          number < MAX_FRONT_MATTER &&
          (number > 2 || line !== "");
      else takeLine(line, number);
    },
    outline: list.outline,
  };
}

function withoutMarks(text: string): string {
  return text
    .replaceAll(/!\[[^[\]]{0,80}\]\([^()]{0,120}\)/g, "")
    .replaceAll(/(?<!\w)\[([^[\]]{0,100})\](?:\([^()]{0,120}\)|\[[^[\]]{0,40}\])/g, "$1")
    .replaceAll(/<[^<>]{1,120}>/g, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^ /, "")
    .replace(/ ?#{0,6} ?$/, "");
}
