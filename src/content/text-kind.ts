/** How much of a text is looked at, in UTF-16 units, and how many of its lines. */
const SAMPLE_CHARACTERS = 65_536;
const MAX_LINES = 1_000;
/** What is looked at of a line. */
const LINE_CHARACTERS = 200;

const TIME =
  /^[[(<"]?(?:\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d)?|\d\d[-/]\d\d[-/]\d{2,4} \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d|(?:\w{3}, )?\d\d[ /]\w{3}[ /]\d{4}|\d{10}(?:\d{3})?(?:\.\d+)?[ \t:|\]])/;
const LEVEL =
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\]?[\s:|-]|[IWEF]\d{4} \d\d:\d\d|level=\w|time="?\d|<\d{1,3}>)/i;
/** Web servers write the address first and the time in brackets. */
const ACCESS = /^\S+ \S+ \S+ \[\d\d\/\w{3}\/\d{4}:/;

const HEADING = /^#{1,6} +\S/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const LIST_ITEM = /^ *(?:[-*+]|\d{1,3}[.)]) +\S/;
const TABLE_RULE = /^ *(?:\| *)?:?-{3,}:? *\|/;
const LINK_OR_STRONG = /\[[^\]]{1,80}\]\([^)\s]{1,120}\)|\*\*[^*]{1,80}\*\*/;

/**
 * Tells logs and Markdown from other text by the first 64 K characters. A log has three or more
 * lines that begin with a time or a level, and they are a third of all lines or more, so that stack
 * traces may stand between them. Markdown has headings, fences, lists, tables or links, and more
 * than one kind of them or mostly list items.
 */
export function textKind(text: string): "log" | "markdown" | "text" {
  const lines = text
    .slice(0, SAMPLE_CHARACTERS)
    .split("\n", MAX_LINES)
    .map((line) => line.slice(0, LINE_CHARACTERS).trimEnd());
  const filled = lines.filter((line) => line !== "");
  const stamped = filled.filter((line) => isLogLine(line)).length;
  if (stamped >= 3 && stamped * 3 >= filled.length) return "log";
  return isMarkdown(lines, filled.length) ? "markdown" : "text";
}

function isLogLine(line: string): boolean {
  return TIME.test(line) || LEVEL.test(line) || ACCESS.test(line);
}

function isMarkdown(lines: readonly string[], filledCount: number): boolean {
  let headings = 0;
  let fences = 0;
  let items = 0;
  let others = 0;
  let isFenced = false;
  let previous = "";
  for (const line of lines) {
    if (FENCE.test(line)) {
      isFenced = !isFenced;
      fences += 1;
    } else if (!isFenced) {
      // In scripts and settings a line with `# ` is a comment, and stands right over the code.
      if (HEADING.test(line) && previous === "") headings += 1;
      else if (LIST_ITEM.test(line)) items += 1;
      else if (TABLE_RULE.test(line)) others += 1;
      if (LINK_OR_STRONG.test(line)) others += 1;
    }
    previous = line;
  }
  if (headings >= 1 && headings + fences + items + others >= 3) return true;
  if (fences >= 2 && items + others >= 1) return true;
  return items >= 3 && (items * 2 >= filledCount || others >= 2);
}
