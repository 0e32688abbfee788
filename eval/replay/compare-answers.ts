import { isJson } from "../../src/core/content/value/any-json.js";
import type { Answered } from "../by-hand/transcript.js";

/** How an answer differs from the recorded one: in what it says of the data, in other words, or not at all. */
export type Difference = "none" | "wording" | "data" | "mended" | "failed";

/** An answer beside the recorded one. */
export interface Compared {
  readonly difference: Difference;
  /** Lines that went, with `-`, and lines that came, with `+`. */
  readonly diff: readonly string[];
}

/** What of an answer comes from the data. */
interface Content {
  /** Lines of the data, one after the other. */
  readonly lines: string;
  /** Numbers and quoted texts in all other lines. */
  readonly said: string;
}

/** How much of an answer is shown. */
const ENDING = /^(?:Showing the first|[A-Z][a-z]+(?: [a-z]+)? [\d,]+ to [\d,]+ of) [\d,]+/;
/** When the output was stored, which its first line says. */
const STORED_AT = /(?<="type":"lro_header"[^\n]*"timestamp":")[^"]+/g;
/** Recorded counts of texts have the character of their first place too. */
const PLACE = "line:character";
const COUNTED = /^(\d+):\d+:/gm;
const LINE_NUMBER = /^\d+[:-]/;
const SAID = /"(?:[^"\\]|\\.)*"|[-+]?[\w.,:%]*\d[\w.,:%]*/g;
/** What SQL answers beside rows. */
const SENTENCE = /^(?:[\d,]+ rows?\b|[A-Z][a-z]+ .*[.:]|Next call:)/;

/**
 * Compares the answer of a tool with the recorded one. Errors of calls that failed before may say anything.
 *
 * @param raw - The data that the task is about: a line of an answer that stands in them is data.
 */
export function compareAnswers(
  tool: string,
  recorded: Answered,
  now: Answered,
  raw: readonly string[],
): Compared {
  const [old, young] = [recorded, now].map(({ text }) =>
    text.replaceAll(STORED_AT, "").replace(PLACE, "line").replaceAll(COUNTED, "$1:"),
  ) as [string, string];
  const isOther = old !== young || (recorded.text === now.text && recorded.digest !== now.digest);
  if (!isOther && recorded.failed === now.failed) return { difference: "none", diff: [] };
  const diff = lineDiff(old, young);
  if (recorded.failed !== now.failed) return { difference: now.failed ? "failed" : "mended", diff };
  if (now.failed) return { difference: "wording", diff };
  const [before, after] = [old, young].map((text) => contentOf(tool, text, raw));
  const isSame =
    // The difference may be in what is not recorded of a long answer.
    recorded.text !== now.text && before?.lines === after?.lines && before?.said === after?.said;
  return { difference: isSame ? "wording" : "data", diff };
}

function contentOf(tool: string, text: string, raw: readonly string[]): Content {
  const lines: string[] = [];
  const said = new Set<string>();
  for (const line of text.split("\n")) {
    if (line.trim() === "" || ENDING.test(line)) continue;
    if (isData(tool, line, raw)) lines.push(line);
    else for (const [one] of line.matchAll(SAID)) said.add(one.replace(/[.,:]+$/, ""));
  }
  return { lines: lines.join("\n"), said: [...said].toSorted().join("\n") };
}

function isData(tool: string, line: string, raw: readonly string[]): boolean {
  if (tool.startsWith("sql")) return !SENTENCE.test(line);
  const bare = line.replace(LINE_NUMBER, "");
  return isJson(bare) || raw.some((text) => text.includes(bare));
}

function lineDiff(before: string, after: string): string[] {
  const [old, young] = [before, after].map((text) => text.split("\n"));
  const gone = (old ?? []).filter((line) => young?.includes(line) !== true);
  const come = (young ?? []).filter((line) => old?.includes(line) !== true);
  return [...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)];
}
