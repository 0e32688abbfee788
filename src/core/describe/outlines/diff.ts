import { counted, grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { OutlineReader } from "./outline.js";

interface ChangedFile {
  readonly path: string;
  readonly line: number;
  added: number;
  removed: number;
}

const COMBINED = /^diff --(?:cc|combined) /;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const IN_HUNK = /^(?:[-+ \\]|$)/;
const NOTHING = "/dev/null";
const PREFIX = /^("?)[a-z]\//;
const MAX_FILES = 2_000;
const SHOWN_CHARACTERS = 80;

/** Files that are only renamed, or binary, have no hunks and are none of these. */
export function diffReader(): OutlineReader {
  const files: ChangedFile[] = [];
  let isCombined = false;
  let [before, after] = [0, 0];
  let old: { readonly name: string; readonly line: number } | undefined;

  function takeHunk(mark: string | undefined) {
    if (mark === "\\") return;
    if (mark !== "+") before -= 1;
    if (mark !== "-") after -= 1;
    const file = files.at(-1);
    if (file === undefined) return;
    if (mark === "+") file.added += 1;
    if (mark === "-") file.removed += 1;
  }

  return {
    take(line, number) {
      // Any other line ends a hunk that was cut short.
      if ((after > 0 || before > 0) && IN_HUNK.test(line)) return takeHunk(line[0]);
      [before, after] = [0, 0];
      isCombined ||= COMBINED.test(line);
      const hunk = HUNK.exec(line);
      if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      else if (line.startsWith("--- ")) old = { name: sideOf(line), line: number };
      else if (line.startsWith("+++ ") && old !== undefined) {
        const path = pathOf(old.name, sideOf(line));
        files.push({ path, line: old.line, added: 0, removed: 0 });
        old = undefined;
      }
    },
    outline() {
      const { length: total } = files;
      // With --word-diff, changed lines have no mark.
      if (isCombined || files.every(({ added, removed }) => added + removed === 0))
        return undefined;
      const sum = (side: "added" | "removed") =>
        grouped(files.reduce((lines, file) => lines + file[side], 0));
      return {
        facts: [
          `${counted(total, "diff")} with changed lines, +${sum("added")} -${sum("removed")}`,
          "line: file (added, removed lines)",
        ],
        entries: files.slice(0, MAX_FILES).map((file) => ({
          text: `${file.line}: ${shorten(file.path, SHOWN_CHARACTERS)} (+${file.added} -${file.removed})`,
          rank: 1,
          weight: file.added + file.removed,
        })),
        total,
        noun: "diffs",
        hasLines: true,
      };
    },
  };
}

function sideOf(line: string): string {
  return line.slice(4).split("\t", 1)[0] ?? "";
}

/** Without the prefixes that tell the sides apart, such as `a/` and `b/`. */
function pathOf(before: string, after: string): string {
  const path = after === NOTHING ? before : after;
  return before === after ? path : path.replace(PREFIX, "$1");
}
