import type { ClaimOf } from "../claim.js";
import type { Evidence } from "./evidence.js";

/** Words alone, so that marks, spaces and entities do not matter. */
export function wordsOf(text: string): string {
  return text.replaceAll(/<[^<>]*>|&\w+;|[^\p{L}\p{N}]+/gu, "").toLowerCase();
}

/** Whether a text is another one, or begins like it where it is cut. */
export function isShown(shown: string, text: string): boolean {
  const [one, other] = [wordsOf(shown), wordsOf(text)];
  if (one === "" || other === "") return one === other;
  return other.startsWith(one) || (one.startsWith(other) && !shown.endsWith("…"));
}

/** A file that a diff changes. */
export interface Change {
  readonly line: number;
  readonly path: string;
  added: number;
  removed: number;
}

/** Files of a unified diff, by its headers and the lengths that its hunks state. */
export function diffOf({ lines }: Evidence): readonly Change[] {
  const files: Change[] = [];
  let [before, after, hasGit] = [0, 0, false];
  for (const [at, line] of lines.entries()) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    const last = files.at(-1);
    if (before > 0 || after > 0) {
      if (line.startsWith("-")) before -= 1;
      else if (line.startsWith("+")) after -= 1;
      else if (!line.startsWith("\\")) [before, after] = [before - 1, after - 1];
      if (last !== undefined && line.startsWith("+")) last.added += 1;
      if (last !== undefined && line.startsWith("-")) last.removed += 1;
    } else if (hunk !== null) [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    else if (line.startsWith("diff --git ")) {
      hasGit = true;
      files.push({ line: at + 1, path: line.split(" b/").at(-1) ?? "", added: 0, removed: 0 });
    } else if (!hasGit && line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      const name = /^\+\+\+ (?:b\/)?([^\t]*)/.exec(lines[at + 1] ?? "")?.[1] ?? "";
      files.push({ line: at + 1, path: name, added: 0, removed: 0 });
    }
  }
  return files;
}

/** What a diff changes in all. */
export function changesTruth(
  { changes, added, removed }: ClaimOf<"changes">,
  evidence: Evidence,
): string | undefined {
  const all = diffOf(evidence);
  const sum = (of: (change: Change) => number): number =>
    all.reduce((total, change) => total + of(change), 0);
  const found = {
    changes: all.length,
    added: sum((change) => change.added),
    removed: sum((change) => change.removed),
  };
  const said = { changes, added, removed };
  return JSON.stringify(found) === JSON.stringify(said) ? undefined : JSON.stringify(found);
}

/** What it changes in one file. */
export function changedTruth(
  { line, path, added, removed }: ClaimOf<"changed-file">,
  evidence: Evidence,
): string | undefined {
  const found = diffOf(evidence).find((change) => change.line === line);
  if (found === undefined) return "no file begins there";
  if (!isShown(path, found.path)) return found.path;
  return found.added === added && found.removed === removed
    ? undefined
    : `+${found.added} -${found.removed}`;
}

/** Where a definition begins. */
export function definitionTruth(
  { line, text }: ClaimOf<"definition">,
  evidence: Evidence,
): string | undefined {
  const own = evidence.lines[line - 1] ?? "";
  const name = /[\w$]+(?=[^\w$]*(?:\(|<|=|:|\{|$|…))/.exec(text)?.[0] ?? "";
  return own.includes(name) ? undefined : `line ${line} is ${own.trim().slice(0, 40)}`;
}
