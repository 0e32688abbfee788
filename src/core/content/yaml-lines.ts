const KEY =
  /^ *(?:- +)*(?:"[^"]{1,80}"|'[^']{1,80}'|[\w./@$-]{1,80}):(?: +(\S.*))?$|^ *- \{ ?[\w"']{1,80} ?: /;
const DASH = /^ *-(?: |$)/;
const COMMENT = /^ *#/;
const HEADING = /^#{1,6} \S/;
const MARK = /^(?:---|\.\.\.)(?: |$)/;
const BLOCK = /(?:^|[ :])[|>][-+\d]{0,2}$/;
const INDENTED = /^ /;
/** As lines of objects in source code end. */
const OTHER_END = /[^,][,;{]$/;

const MIN_KEYS = 3;
/** Of the lines, how many have a key, and how many are YAML of some kind. */
const KEY_SHARE = 0.4;
const YAML_SHARE = 0.95;

/**
 * Whether lines are YAML and no prose, log or list of headers: nearly all of them keys, dashes or what goes on under a key,
 * and some key stands under another one or in a list.
 */
export function isYaml(lines: readonly string[]): boolean {
  // JSON that is cut off.
  if (/^\s*[[{]/.test(lines.find((line) => line !== "") ?? "")) return false;
  let [filled, keys, others, nested, own] = [0, 0, 0, 0, 0];
  let textIndent: number | undefined;
  let isMarked = false;
  let isOpen = false;
  for (const line of lines) {
    if (OTHER_END.test(line)) others += 1;
    const indent = line.length - line.trimStart().length;
    if (line === "" || COMMENT.test(line)) continue;
    if (textIndent !== undefined && indent > textIndent) continue;
    textIndent = undefined;
    filled += 1;
    if (MARK.test(line) || line.startsWith("%YAML")) {
      isMarked ||= filled === 1;
      continue;
    }
    const key = KEY.exec(line);
    if (BLOCK.test(line) && (key !== null || DASH.test(line))) textIndent = indent;
    if (key !== null) {
      keys += 1;
      if (!DASH.test(line)) own += 1;
      if (isOpen && (INDENTED.test(line) || DASH.test(line))) nested += 1;
      else if (indent > 0 && !DASH.test(line)) nested += 1;
      isOpen = key[1] === undefined;
    } else if (DASH.test(line)) {
      if (isOpen) nested += 1;
      isOpen = false;
    } else if (!INDENTED.test(line) || filled === 1) others += 1;
  }
  if (keys < MIN_KEYS || keys < filled * KEY_SHARE || others > filled * (1 - YAML_SHARE))
    return false;
  // Items of a list under headings may have a colon after their first word.
  return isMarked || (nested >= 2 && (own > 0 || !hasHeadings(lines)));
}

/** Whether lines with hashes stand alone, as those of Markdown do and comments hardly. */
function hasHeadings(lines: readonly string[]): boolean {
  const alone = lines.filter(
    (line, at) => HEADING.test(line) && (lines[at - 1] ?? "") === "" && lines[at + 1] === "",
  );
  return alone.length >= 2;
}
