import { shorten } from "../../../util/safe-text.js";
import { definitionIn } from "../../content/code-lines.js";
import type { OutlineEntry, OutlineReader } from "./outline.js";

/** The line that opens a block. */
interface Opening {
  readonly indent: number;
  readonly start: string;
  readonly line: number;
}

const MAX_DEFINITIONS = 2_000;
const SHOWN_CHARACTERS = 70;
const MAX_DEPTH = 3;
/** Begins no definition, and leaves what is above it open. */
const CLOSING = /^(?:[)\]{}>:,]|end[;,]?$|where\b|(?:public|private|protected)[\w ]{0,20}:$)/;
/** Makes a definition of a line above. */
const BODY = /^(?:[{:]|\)[^;]{0,200}\{ {0,3}$)/;
const STRING_MARKS = ['"""', "'''", "`"];
const MAX_STRING_LINES = 200;

export function codeReader(): OutlineReader {
  const entries: OutlineEntry[] = [];
  let open: Opening[] = [];
  /** By indentation, lines that may be definitions if a body follows. */
  const waiting: Opening[] = [];
  let [total, stringLines] = [0, 0];
  let isComment = false;
  let string = "";

  function define(opening: Opening) {
    const { start, indent, line } = opening;
    const depth = open.length;
    waiting.length = indent;
    if (depth >= MAX_DEPTH) return;
    const text = definitionIn(start, indent, open.at(-1)?.start);
    if (text === undefined) {
      waiting.push(opening);
      return;
    }
    open.push(opening);
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
        const above = waiting[indent];
        if (above && BODY.test(start)) define({ ...above, start: `${above.start} {` });
        if (!isClosing) define({ indent, start, line: number });
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
