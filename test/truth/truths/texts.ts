import type { Evidence } from "./evidence.js";
import { htmlTruth } from "./markup.js";

/** Words alone, so that marks, spaces and entities do not matter. */
function wordsOf(text: string): string {
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

/** Files of a unified diff whose lines change, by their headers and the lengths that its hunks state. */
function diffOf({ lines }: Evidence): readonly Change[] {
  const files: Change[] = [];
  let [before, after] = [0, 0];
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
    else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      const names = [line, lines[at + 1] ?? ""].map(
        (one) => /^(?:---|\+\+\+) (?:[a-z]\/)?([^\t]*)/.exec(one)?.[1] ?? "",
      );
      const name = names.findLast((one) => one !== "/dev/null") ?? "";
      files.push({ line: at + 1, path: name, added: 0, removed: 0 });
    }
  }
  return files;
}

/** What a diff changes in all. */
export function changesTruth(
  said: { readonly changes: number; readonly added: number; readonly removed: number },
  evidence: Evidence,
): string | undefined {
  const all = diffOf(evidence);
  const sum = (what: "added" | "removed"): number =>
    all.reduce((total, change) => total + change[what], 0);
  const found = { changes: all.length, added: sum("added"), removed: sum("removed") };
  return JSON.stringify(found) === JSON.stringify(said) ? undefined : JSON.stringify(found);
}

export function diffsTruth(count: number, evidence: Evidence): string | undefined {
  const { length } = diffOf(evidence);
  return length === count ? undefined : `${length} in all`;
}

/** What it changes in one file. */
export function changedTruth(
  { line, path, added, removed }: Change,
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
  line: number,
  text: string,
  { lines }: Evidence,
): string | undefined {
  const own = lines[line - 1] ?? "";
  const name = /[\w$]+(?=[^\w$]*(?:\(|<|=|:|\{|$|…))/.exec(text)?.[0] ?? "";
  return own.includes(name) ? undefined : `line ${line} is ${own.trim().slice(0, 40)}`;
}

export function beginsTruth(text: string, { raw }: Evidence): string | undefined {
  const [head = "", rest = ""] = text.split("\n…\n");
  const isTrue = raw.startsWith(head.replace(/…$/, "")) && raw.includes(rest);
  return isTrue ? undefined : "it begins otherwise";
}

export function endsTruth(text: string, { raw }: Evidence): string | undefined {
  return raw.trimEnd().endsWith(text.replace(/^…/, "")) ? undefined : "it ends otherwise";
}

export function mentionsTruth(text: string, { raw }: Evidence): string | undefined {
  return raw.includes(text.replace(/…$/, "")) ? undefined : "it is nowhere";
}

export function lineTruth(line: number, text: string, { lines }: Evidence): string | undefined {
  const own = lines[line - 1];
  if (wordsOf(own ?? "").includes(wordsOf(text))) return undefined;
  return own?.slice(0, 60) ?? "no such line";
}

export function titleTruth(text: string, { raw }: Evidence): string | undefined {
  const { title } = htmlTruth(raw);
  return isShown(text, title) ? undefined : title.slice(0, 60);
}
