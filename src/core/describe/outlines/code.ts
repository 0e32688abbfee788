import { shorten } from "../../../util/safe-text.js";
import { definitionIn, isObject } from "../../content/code-lines.js";
import { createOpenStrings } from "./open-strings.js";
import type { Outline } from "./outline.js";
import { LINE_CHARACTERS, type LineReader } from "./text-parts.js";

interface Definition {
  readonly line: number;
  readonly indent: number;
  readonly text: string;
  readonly depth: number;
  /** The line that it begins with. */
  readonly start: string;
  endLine: number;
  /** Objects are shown when they have methods. */
  isShown: boolean;
}

const MAX_OF_DEPTH = 800;
const SHOWN_CHARACTERS = 70;
const SHORT_CHARACTERS = 40;
const MAX_DEPTH = 3;
const LEGEND = "lines: definition";
/** A line that only ends what began before. */
const CLOSING = /^(?:[)\]{}>]|end[;,]?$)/;

/**
 * Reads definitions by how their lines begin, in the languages that are common; each goes on to the line before the next one
 * that is not indented more, if the code is indented at all.
 */
export function codeReader(): LineReader & {
  readonly outline: (lastLine: number) => Outline | undefined;
} {
  const kept: Definition[][] = [];
  let open: Definition[] = [];
  let total = 0;
  let lastFilled = 0;
  let isComment = false;
  const strings = createOpenStrings();

  function close(indent: number): void {
    for (const definition of open) if (definition.indent >= indent) definition.endLine = lastFilled;
    open = open.filter((definition) => definition.indent < indent);
  }

  function show(definition: Definition): void {
    if (definition.isShown) return;
    definition.isShown = true;
    total += 1;
    const group = (kept[definition.depth] ??= []);
    if (group.length < MAX_OF_DEPTH) group.push(definition);
  }

  return {
    take(line, number) {
      const start = line.trimStart();
      const isRemark = isComment || start.startsWith("#") || start.startsWith("/*");
      if (strings.take(line, isRemark)) {
        if (start !== "") lastFilled = number;
        return;
      }
      if (start === "" || line.length >= LINE_CHARACTERS) return;
      if (start.startsWith("/*")) isComment = true;
      const wasComment = isComment;
      if (start.includes("*/")) isComment = false;
      const indent = line.length - start.length;
      if (wasComment || start.startsWith("//") || start.startsWith("#")) return;
      const isClosing = CLOSING.test(start);
      close(isClosing ? indent + 1 : indent);
      lastFilled = number;
      if (isClosing) return;
      const around = open.at(-1);
      const found = definitionIn(start, indent, around?.start);
      const isHolder = found === undefined && around === undefined && isObject(start);
      const text = isHolder ? start.slice(0, -1).trimEnd() : found;
      if (text === undefined || open.length >= MAX_DEPTH) return;
      const depth = open.length;
      const isShown = false;
      const definition = { line: number, indent, text, depth, start, endLine: number, isShown };
      if (around !== undefined && !isHolder) show(around);
      if (!isHolder) show(definition);
      open.push(definition);
    },
    skip() {
      close(0);
      isComment = false;
      strings.reset();
    },
    outline() {
      close(0);
      if (total === 0) return undefined;
      const entries = kept
        .flat()
        .toSorted((one, other) => one.line - other.line)
        .map(({ line, endLine, text, depth }) => ({
          text: `${line}${endLine > line ? `-${endLine}` : ""}: ${"  ".repeat(depth)}${shorten(text, SHOWN_CHARACTERS)}`,
          short: `${line}: ${"  ".repeat(depth)}${shorten(nameOf(text), SHORT_CHARACTERS)}`,
          rank: depth,
          weight: endLine - line,
        }));
      return {
        facts: [LEGEND],
        entries,
        total,
        noun: "definitions",
        rankName: (depth) => (depth === 0 ? "at the top, the shortest" : "inside others"),
        hasLines: true,
      };
    },
  };
}

/** A definition without its parameters. */
function nameOf(text: string): string {
  const at = text.indexOf("(");
  return at > 0 && !text.startsWith("func (") ? text.slice(0, at) : text;
}
