import { shorten } from "../../../util/safe-text.js";
import { definitionIn, isObject } from "../../content/code-lines.js";
import type { OutlineReader } from "./text-parts.js";

interface Definition {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
  readonly depth: number;
  readonly start: string;
  isShown: boolean;
}

const MAX_DEFINITIONS = 2_000;
const SHOWN_CHARACTERS = 70;
const MAX_DEPTH = 3;
const CLOSING = /^(?:[)\]{}>]|end[;,]?$)/;
const STRING_MARKS = ['"""', "'''", "`"];
const MAX_STRING_LINES = 200;

export function codeReader(): OutlineReader {
  const shown: Definition[] = [];
  let open: Definition[] = [];
  let [total, stringLines] = [0, 0];
  let isComment = false;
  let string = "";

  function close(indent: number): void {
    open = open.filter((definition) => definition.indent < indent);
  }

  function show(definition: Definition): void {
    if (definition.isShown) return;
    definition.isShown = true;
    total += 1;
    if (shown.length < MAX_DEFINITIONS) shown.push(definition);
  }

  function define(start: string, indent: number, line: number): void {
    const around = open.at(-1);
    const depth = open.length;
    if (depth >= MAX_DEPTH) return;
    const found = definitionIn(start, indent, around?.start);
    const isHolder = found === undefined && around === undefined && isObject(start);
    const text = isHolder ? start.slice(0, -1).trimEnd() : found;
    if (text === undefined) return;
    const definition = { line, indent, text, depth, start, isShown: false };
    if (!isHolder) {
      if (around !== undefined) show(around);
      show(definition);
    }
    open.push(definition);
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
        close(isClosing ? indent + 1 : indent);
        if (!isClosing) define(start, indent, number);
      }
    },
    outline() {
      if (total === 0) return undefined;
      const all = shown.toSorted((one, other) => one.line - other.line);
      return {
        facts: ["line: definition"],
        entries: all.map(({ line, text, depth }) => ({
          text: `${line}: ${"  ".repeat(depth)}${shorten(text, SHOWN_CHARACTERS)}`,
          rank: depth,
          weight: -line,
        })),
        total,
        noun: "definitions",
        hasLines: true,
      };
    },
  };
}

function stringAfter(line: string, open: string): string {
  const mark = open === "" ? STRING_MARKS.find((one) => line.includes(one)) : open;
  if (mark === undefined || line.split(mark).length % 2 === 1) return open;
  return open === "" ? mark : "";
}
