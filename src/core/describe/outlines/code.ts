import { shorten } from "../../../util/safe-text.js";
import { definitionIn } from "../../content/code-lines.js";
import type { OutlineEntry, OutlineReader } from "./outline.js";

/** The line that opens a block. */
interface Opening {
  readonly indent: number;
  readonly start: string;
}

const MAX_DEFINITIONS = 2_000;
const SHOWN_CHARACTERS = 70;
const MAX_DEPTH = 3;
const CLOSING = /^(?:[)\]{}>]|end[;,]?$)/;
const STRING_MARKS = ['"""', "'''", "`"];
const MAX_STRING_LINES = 200;

export function codeReader(): OutlineReader {
  const entries: OutlineEntry[] = [];
  let open: Opening[] = [];
  let [total, stringLines] = [0, 0];
  let isComment = false;
  let string = "";

  function define(start: string, indent: number, line: number): void {
    const depth = open.length;
    if (depth >= MAX_DEPTH) return;
    const text = definitionIn(start, indent, open.at(-1)?.start);
    if (text === undefined) return;
    open.push({ indent, start });
    total += 1;
    if (entries.length >= MAX_DEFINITIONS) return;
    const shown = `${line}: ${"  ".repeat(depth)}${shorten(text, SHOWN_CHARACTERS)}`;
    entries.push({ text: shown, rank: depth, weight: -line });
  }

  return {
    take(line, number) {
      const start = line.trimStart();
      if (start === "") return;
      const isRemark = isComment || /^(?:#|\/[*/])/.test(start);
      const wasOpen = string !== "";
      if (wasOpen || !isRemark) string = stringAfter(line, string);
      stringLines = wasOpen ? stringLines + 1 : 0;
      if (stringLines > MAX_STRING_LINES) string = "";
      if (wasOpen) return;
      if (isRemark) isComment = (isComment || start.startsWith("/*")) && !start.includes("*/");
      else {
        const indent = line.length - start.length;
        const isClosing = CLOSING.test(start);
        const least = isClosing ? indent + 1 : indent;
        open = open.filter((definition) => definition.indent < least);
        if (!isClosing) define(start, indent, number);
      }
    },
    outline() {
      if (total === 0) return undefined;
      return { facts: ["line: definition"], entries, total, noun: "definitions", hasLines: true };
    },
  };
}

function stringAfter(line: string, open: string): string {
  const mark = open === "" ? STRING_MARKS.find((one) => line.includes(one)) : open;
  if (mark === undefined || line.split(mark).length % 2 === 1) return open;
  return open === "" ? mark : "";
}
