import { noteScalar } from "./scalars.js";
import type { ShapeNode } from "./shape-tree.js";
import { afterQuoted, depthOf, indentOf, isEnd, isPlain, withoutComment } from "./yaml-line.js";

/** A value of YAML that goes on over lines. */
export interface OpenText {
  /** What a line is: a part of the value, something new, or a fault. */
  readonly take: (line: string) => "part" | "new" | "fault";
  /** A text in quotes that does not end in its line. */
  readonly quoted: (quote: string) => void;
  /** What stands in brackets. @param indent - Of the key or the dash before it. */
  readonly bracketed: (text: string, indent: number) => void;
  /** A text whose lines are indented by more. */
  readonly block: (indent: number) => void;
  /** The same without a mark, and the places that have it. */
  readonly plain: (indent: number, nodes: readonly ShapeNode[]) => void;
  /** Whether it lacks its end. */
  readonly isOpen: () => boolean;
  readonly reset: () => void;
}

export function createOpenText(): OpenText {
  let quote: string | undefined;
  let brackets = 0;
  /** What the lines of a value are indented by more than. */
  let within = -1;
  let isText = false;
  let plainNodes: readonly ShapeNode[] | undefined;

  return {
    take(line) {
      if (quote !== undefined) {
        const rest = afterQuoted(` ${line}`, quote);
        if (rest === undefined) return "part";
        quote = undefined;
        return isEnd(rest) ? "part" : "fault";
      }
      const indent = indentOf(line);
      if (indent === line.length) return "part";
      if (brackets > 0) {
        brackets = depthOf(withoutComment(line.trim()), brackets);
        return indent > within ? "part" : "fault";
      }
      if (!isText) return "new";
      if (indent > within) {
        // The value is longer than its first line.
        for (const node of plainNodes ?? []) noteScalar(node.scalars, undefined, 0);
        const isFault = plainNodes !== undefined && !isPlain(withoutComment(line.trim()));
        return isFault || blanksOf(line) <= within ? "fault" : "part";
      }
      isText = false;
      return "new";
    },
    quoted(mark) {
      quote = mark;
    },
    bracketed(text, indent) {
      brackets = depthOf(text, 0);
      within = indent;
    },
    block(indent) {
      [isText, within, plainNodes] = [true, indent, undefined];
    },
    plain(indent, nodes) {
      [isText, within, plainNodes] = [true, indent, nodes];
    },
    isOpen: () => quote !== undefined || brackets > 0,
    reset() {
      [quote, brackets, isText, plainNodes] = [undefined, 0, false, undefined];
    },
  };
}

/** The blanks that a line begins with: tabs do not indent. */
function blanksOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at += 1;
  return at;
}
