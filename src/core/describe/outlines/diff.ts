import type { Outline, OutlineEntry } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { shorten } from "../../../util/safe-text.js";
import { gitName, nameOf, sideName } from "./diff-names.js";
import { grouped } from "../../../util/amounts.js";

interface ChangedFile {
  path: string;
  readonly line: number;
  added: number;
  removed: number;
}

/** Lines of a hunk that are still to come: of each file before, several in a merge, and of the one after. */
interface Hunk {
  readonly before: number[];
  after: number;
}

const GIT = /^diff --(git|cc|combined) (.+)/;
const MOVED = /^(?:rename|copy) to (.+)/;
const HUNK = /^@@@{0,8} ((?:-\d+(?:,\d+)? ){1,9})\+\d+(?:,(\d+))? @@/;
const COMMIT = /^commit [\da-f]{7,40}\b/;
const LEGEND = "line: file (added, removed lines)";
const NOTHING = "/dev/null";
const MAX_FILES = 2_000;
const SHOWN_CHARACTERS = 80;

/** Reads which files a unified diff changes, and how much. */
export function diffReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const files: ChangedFile[] = [];
  let [total, added, removed, commits] = [0, 0, 0, 0];
  let current: ChangedFile | undefined;
  let isHeader = false;
  let hunk: Hunk | undefined;
  let old: { readonly path: string; readonly line: number } | undefined;

  function begin(path: string, line: number): void {
    current = { path, line, added: 0, removed: 0 };
    total += 1;
    if (files.length < MAX_FILES) files.push(current);
  }

  function takeHunk(line: string, left: Hunk): void {
    if (line.startsWith("\\")) return;
    const marks = line.slice(0, left.before.length);
    const isRemoved = marks.includes("-");
    if (isRemoved) removed += 1;
    else left.after -= 1;
    for (let at = 0; at < left.before.length; at += 1)
      if (isRemoved ? marks[at] === "-" : marks[at] !== "+")
        left.before[at] = (left.before[at] ?? 0) - 1;
    const isAdded = !isRemoved && marks.includes("+");
    if (isAdded) added += 1;
    if (current === undefined) return;
    if (isRemoved) current.removed += 1;
    if (isAdded) current.added += 1;
  }

  /** A line between the names of a file and its first hunk. */
  function takeHeader(line: string, file: ChangedFile): void {
    const moved = MOVED.exec(line)?.[1];
    const isSide = line.startsWith("--- ") || line.startsWith("+++ ");
    const name = moved === undefined ? sideName(isSide ? line.slice(4) : "") : nameOf(moved);
    if (name !== "" && name !== NOTHING) file.path = name;
  }

  return {
    take(line, number) {
      if (hunk !== undefined && isOpen(hunk)) {
        takeHunk(line, hunk);
        return;
      }
      hunk = hunkOf(line);
      const [, form, names = ""] = GIT.exec(line) ?? [];
      if (hunk !== undefined) isHeader = false;
      else if (form !== undefined) {
        begin(form === "git" ? gitName(names) : nameOf(names), number);
        isHeader = true;
      } else if (COMMIT.test(line)) {
        commits += 1;
        isHeader = false;
      } else if (isHeader && current !== undefined) takeHeader(line, current);
      else if (line.startsWith("--- ")) old = { path: sideName(line.slice(4)), line: number };
      else if (line.startsWith("+++ ") && old !== undefined) {
        const path = sideName(line.slice(4));
        begin(path === NOTHING ? old.path : path, old.line);
        old = undefined;
      }
    },
    skip() {
      hunk = undefined;
      current = undefined;
      isHeader = false;
    },
    outline() {
      if (total === 0) return undefined;
      const changed = `${counted(total, "file")} changed, +${grouped(added)} -${grouped(removed)}`;
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

function hunkOf(line: string): Hunk | undefined {
  const [, before, after = "1"] = HUNK.exec(line) ?? [];
  if (before === undefined) return undefined;
  const counts = before
    .trim()
    .split(" ")
    .map((range) => Number(range.split(",")[1] ?? 1));
  return { before: counts, after: Number(after) };
}

function isOpen(hunk: Hunk): boolean {
  return hunk.after > 0 || hunk.before.some((count) => count > 0);
}

function entryOf({ path, line, added, removed }: ChangedFile): OutlineEntry {
  return {
    text: `${line}: ${shorten(path, SHOWN_CHARACTERS)} (+${added} -${removed})`,
    rank: 1,
    weight: added + removed,
  };
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
