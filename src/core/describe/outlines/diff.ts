import { counted, grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { OutlineReader } from "./text-parts.js";

interface ChangedFile {
  path: string;
  readonly line: number;
  added: number;
  removed: number;
}

const GIT = /^diff --git (.+)/;
const COMBINED = /^diff --(?:cc|combined) /;
const MOVED = /^(?:rename|copy) to (.+)/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const IN_HUNK = /^(?:[-+ \\]|$)/;
const NOTHING = "/dev/null";
const PREFIX = /^("?)[a-z]\//;
const MAX_FILES = 2_000;
const SHOWN_CHARACTERS = 80;

export function diffReader(): OutlineReader {
  const files: ChangedFile[] = [];
  /** Of the hunks behind a part that was not read. */
  const none: ChangedFile = { path: "", line: 0, added: 0, removed: 0 };
  let current = none;
  let isHeader = false;
  let isCombined = false;
  let [before, after] = [0, 0];
  let old: { readonly name: string; readonly line: number } | undefined;

  function begin(path: string, line: number): void {
    current = { path, line, added: 0, removed: 0 };
    files.push(current);
  }

  function takeHunk(mark: string | undefined): void {
    if (mark === "\\") return;
    if (mark !== "+") before -= 1;
    if (mark !== "-") after -= 1;
    if (mark === "+") current.added += 1;
    if (mark === "-") current.removed += 1;
  }

  return {
    take(line, number) {
      // Any other line ends a hunk that was cut short.
      if ((after > 0 || before > 0) && IN_HUNK.test(line)) return takeHunk(line[0]);
      [before, after] = [0, 0];
      isCombined ||= COMBINED.test(line);
      const hunk = HUNK.exec(line);
      const names = GIT.exec(line)?.[1];
      if (hunk !== null) {
        [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        isHeader = false;
      } else if (names !== undefined) {
        // Of two names of equal length; else the lines below name the file.
        const half = (names.length - 1) / 2;
        begin(pathOf(names.slice(0, half), names.slice(half + 1)), number);
        isHeader = true;
      } else if (line.startsWith("--- ")) old = { name: sideOf(line), line: number };
      else if (line.startsWith("+++ ") && old !== undefined) {
        const path = pathOf(old.name, sideOf(line));
        if (isHeader) current.path = path;
        else begin(path, old.line);
        old = undefined;
      } else if (isHeader) current.path = MOVED.exec(line)?.[1] ?? current.path;
    },
    skip() {
      [before, after, isHeader, current] = [0, 0, false, none];
    },
    outline() {
      const { length: total } = files;
      if (total === 0 || isCombined) return undefined;
      const sum = (side: "added" | "removed"): string =>
        grouped(files.reduce((lines, file) => lines + file[side], none[side]));
      return {
        facts: [
          `${counted(total, "diff")}, +${sum("added")} -${sum("removed")}`,
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
