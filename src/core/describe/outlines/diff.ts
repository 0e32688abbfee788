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
const MAX_FILES = 2_000;
const SHOWN_CHARACTERS = 80;

export function diffReader(): OutlineReader {
  const files: ChangedFile[] = [];
  let [total, added, removed] = [0, 0, 0];
  let current: ChangedFile | undefined;
  let isHeader = false;
  let isCombined = false;
  let [before, after] = [0, 0];
  let old: { readonly path: string; readonly line: number } | undefined;

  function begin(path: string, line: number): void {
    current = { path, line, added: 0, removed: 0 };
    total += 1;
    if (files.length < MAX_FILES) files.push(current);
  }

  function takeHunk(mark: string | undefined): void {
    if (mark === "\\") return;
    const isRemoved = Number(mark === "-");
    const isAdded = Number(mark === "+");
    before -= 1 - isAdded;
    after -= 1 - isRemoved;
    removed += isRemoved;
    added += isAdded;
    if (current === undefined) return;
    current.removed += isRemoved;
    current.added += isAdded;
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
        // Of two equal names the second; else the lines below name the file.
        begin(bare(names.slice((names.length + 1) / 2)), number);
        isHeader = true;
      } else if (isHeader && current !== undefined) {
        const side = /^(?:---|\+\+\+) /.test(line) ? sideName(line) : NOTHING;
        const name = MOVED.exec(line)?.[1] ?? side;
        if (name !== NOTHING) current.path = name;
      } else if (line.startsWith("--- ")) old = { path: sideName(line), line: number };
      else if (line.startsWith("+++ ") && old !== undefined) {
        const path = sideName(line);
        begin(path === NOTHING ? old.path : path, old.line);
        old = undefined;
      }
    },
    skip() {
      [before, after, isHeader, current] = [0, 0, false, undefined];
    },
    outline() {
      if (total === 0 || isCombined) return undefined;
      const changed = `${counted(total, "file")} changed, +${grouped(added)} -${grouped(removed)}`;
      return {
        facts: [changed, "line: file (added, removed lines)"],
        entries: files.map((file) => ({
          text: `${file.line}: ${shorten(file.path, SHOWN_CHARACTERS)} (+${file.added} -${file.removed})`,
          rank: 1,
          weight: file.added + file.removed,
        })),
        total,
        noun: "files",
        hasLines: true,
      };
    },
  };
}

function sideName(line: string): string {
  return bare(line.slice(4).split("\t", 1)[0] ?? "");
}

function bare(name: string): string {
  return name.replace(/^("?)[a-z]\//, "$1");
}
