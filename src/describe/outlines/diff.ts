import type { Outline, OutlineEntry } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { shorten } from "../../util/safe-text.js";

interface ChangedFile {
  readonly path: string;
  readonly line: number;
  added: number;
  removed: number;
}

const GIT = /^diff --git "?a\/(\S{1,200})/;
const NEW = /^\+\+\+ "?(?:b\/)?([^\t"]{1,200})/;
const OLD = /^--- "?(?:a\/)?([^\t"]{1,200})/;
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const COMMIT = /^commit [\da-f]{7,40}\b/;
const LEGEND = "line: file (added, removed lines)";
const MAX_FILES = 2_000;
const SHOWN_CHARACTERS = 80;

/** Reads which files a unified diff changes, and how much. */
export function diffReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const files: ChangedFile[] = [];
  let [total, added, removed, commits] = [0, 0, 0, 0];
  let current: ChangedFile | undefined;
  let isHeader = false;
  let [oldLeft, newLeft] = [0, 0];
  let old: { readonly path: string; readonly line: number } | undefined;

  function begin(path: string, line: number): void {
    current = { path, line, added: 0, removed: 0 };
    total += 1;
    if (files.length < MAX_FILES) files.push(current);
  }

  function takeHunk(line: string): void {
    const mark = line[0];
    if (mark === "\\") return;
    if (mark === "+") {
      newLeft -= 1;
      added += 1;
      if (current !== undefined) current.added += 1;
    } else if (mark === "-") {
      oldLeft -= 1;
      removed += 1;
      if (current !== undefined) current.removed += 1;
    } else {
      oldLeft -= 1;
      newLeft -= 1;
    }
  }

  return {
    take(line, number) {
      if (oldLeft > 0 || newLeft > 0) {
        takeHunk(line);
        return;
      }
      const hunk = HUNK.exec(line);
      const git = GIT.exec(line)?.[1];
      if (hunk !== null) {
        [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        isHeader = false;
      } else if (git !== undefined) {
        begin(git, number);
        isHeader = true;
      } else if (line.startsWith("--- ") && !isHeader) {
        old = { path: OLD.exec(line)?.[1] ?? "", line: number };
      } else if (line.startsWith("+++ ") && old !== undefined) {
        const path = NEW.exec(line)?.[1] ?? "";
        begin(path === "/dev/null" ? old.path : path, old.line);
        old = undefined;
      } else if (COMMIT.test(line)) commits += 1;
    },
    skip() {
      [oldLeft, newLeft] = [0, 0];
      current = undefined;
    },
    outline() {
      if (total === 0) return undefined;
      const changed = `${counted(total, "file")} changed, +${added.toLocaleString("en-US")} -${removed.toLocaleString("en-US")}`;
      return {
        facts: [commits === 0 ? changed : `${counted(commits, "commit")}: ${changed}`, LEGEND],
        entries: files.map(entryOf),
        total,
        noun: "files",
        hasLines: true,
      };
    },
  };
}

function entryOf({ path, line, added, removed }: ChangedFile): OutlineEntry {
  return {
    text: `${line}: ${shorten(path, SHOWN_CHARACTERS)} (+${added} -${removed})`,
    rank: 1,
    weight: added + removed,
  };
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
