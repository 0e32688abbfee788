import { createShapes, noteValue, type ShapeNode } from "./shape-tree.js";
import { noteScalar } from "./scalars.js";
import { kindOf, tokenOf } from "./yaml-scalar.js";
import { LINE_CHARACTERS, type LineReader } from "../text-parts.js";

interface Frame {
  readonly indent: number;
  readonly isList: boolean;
  readonly node: ShapeNode | undefined;
}

/** Reads the shape of YAML by its indentation; what is written in brackets is told, not looked into. */
export interface YamlReader extends LineReader {
  /** Its documents are an array when there are several. */
  readonly shape: () => ShapeNode | undefined;
}

const KEY =
  /^("(?:[^"\\]|\\.){0,100}"|'[^']{0,100}'|[^\s#&*!|>%@`"'{}[\],-][^:#]{0,100}|-[^\s:#][^:#]{0,100}) ?:(?: |$)/;
const PROPERTIES = /^(?:[&!]\S{0,100} {0,10}){1,2}/;
const BLOCK = /^[|>][-+\d]{0,3}(?: |$)/;
/** A value that may have been cut ends in its line. */
const LONG_CHARACTERS = LINE_CHARACTERS / 2;

export function yamlReader(): YamlReader {
  const shapes = createShapes();
  const root = shapes.node(1);
  let open: Frame[] = [];
  let documents = 0;
  let isBegun = false;
  /** Where the next value belongs, when a key or a dash stands alone, and the indentation of that key. */
  let pending: { readonly node: ShapeNode | undefined; readonly indent: number } | undefined;
  /** Lines that are indented more belong to a text. */
  let textIndent: number | undefined;
  let plainNode: ShapeNode | undefined;
  let quote: string | undefined;
  let brackets = 0;
  let isDirective = true;

  function endDocument(): void {
    settle();
    open = [];
    isBegun = false;
    textIndent = undefined;
    quote = undefined;
    brackets = 0;
  }

  function settle(): void {
    if (pending !== undefined) noteValue(pending.node, "null", "null");
    pending = undefined;
  }

  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    documents += 1;
    pending = { node: root, indent: -1 };
  }

  function value(text: string, node: ShapeNode | undefined, indent: number): void {
    const plain = withoutComment(text.replace(PROPERTIES, ""));
    if (plain === "") {
      pending = { node, indent };
      return;
    }
    pending = undefined;
    const first = plain[0] ?? "";
    if (first === "{" || first === "[") {
      noteValue(node, first === "{" ? "object" : "array");
      if (text.length < LONG_CHARACTERS) brackets = depthOf(plain, 0);
    } else if (BLOCK.test(plain)) {
      noteValue(node, "string");
      plainNode = undefined;
      textIndent = indent;
    } else {
      const kind = kindOf(plain);
      noteValue(node, kind, tokenOf(plain, kind));
      if (first === '"' || first === "'")
        quote = isClosed(plain, first) || text.length >= LONG_CHARACTERS ? undefined : first;
      else {
        textIndent = indent;
        plainNode = node;
      }
    }
  }

  function takeKey(key: string, rest: string, column: number, line: number): void {
    open = open.filter(({ indent, isList }) => indent < column || (indent === column && !isList));
    let frame = open.at(-1);
    if (frame === undefined || frame.indent < column) {
      if (pending === undefined) return;
      noteValue(pending.node, "object");
      if (pending.node !== undefined) pending.node.members ??= new Map();
      frame = { indent: column, isList: false, node: pending.node };
      open.push(frame);
      pending = undefined;
    } else settle();
    // What a merge key names are members of their own.
    value(rest, key === "<<" ? undefined : shapes.member(frame.node, key, line), column);
  }

  function takeDash(column: number, line: number): ShapeNode | undefined {
    open = open.filter(({ indent }) => indent <= column);
    let frame = open.at(-1);
    if (frame === undefined || frame.indent < column || !frame.isList) {
      if (pending === undefined) return undefined;
      noteValue(pending.node, "array");
      frame = { indent: column, isList: true, node: pending.node };
      open.push(frame);
    } else settle();
    pending = undefined;
    return shapes.item(frame.node, line);
  }

  function takeEntry(line: string, number: number): void {
    let column = indentOf(line);
    let rest = line.slice(column);
    while (rest === "-" || rest.startsWith("- ")) {
      const item = takeDash(column, number);
      const gap = indentOf(rest.slice(1)) + 1;
      pending = { node: item, indent: column };
      const inner = rest.slice(gap).replace(PROPERTIES, "");
      if (inner === "" || inner.startsWith("#")) return;
      column += gap;
      rest = inner;
      if (!KEY.test(inner) && inner !== "-" && !inner.startsWith("- ")) {
        value(inner, item, column - gap);
        return;
      }
    }
    const [whole = "", key = ""] = KEY.exec(rest) ?? [];
    if (whole !== "") takeKey(unquoted(key), rest.slice(whole.length), column, number);
    else if (pending !== undefined) value(rest, pending.node, pending.indent);
  }

  return {
    take(line, number) {
      if (quote !== undefined) {
        if (isClosed(` ${line}`, quote)) quote = undefined;
        return;
      }
      const start = line.trimStart();
      if (brackets > 0) {
        brackets = depthOf(withoutComment(start), brackets);
        return;
      }
      if (start === "") return;
      if (textIndent !== undefined && line.length - start.length > textIndent) {
        // The value is longer than its first line.
        if (plainNode !== undefined) noteScalar(plainNode.scalars, undefined, 0);
        return;
      }
      textIndent = undefined;
      plainNode = undefined;
      if (start.startsWith("#") || (isDirective && line.startsWith("%"))) return;
      if (line === "---" || line.startsWith("--- ")) {
        if (isBegun) endDocument();
        begin();
        if (line.length > 4) value(line.slice(4).trim(), root, -1);
        return;
      }
      isDirective = false;
      if (line === "...") {
        endDocument();
        isDirective = true;
        return;
      }
      begin();
      takeEntry(line.trimEnd(), number);
    },
    shape() {
      endDocument();
      if (documents < 2) return documents === 0 ? undefined : root;
      const all = shapes.node(1);
      noteValue(all, "array");
      all.items = root;
      return all;
    },
  };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function unquoted(key: string): string {
  const first = key[0];
  if (first === '"') {
    try {
      return String(JSON.parse(key));
    } catch {
      return key.slice(1, -1);
    }
  }
  return first === "'" ? key.slice(1, -1).replaceAll("''", "'") : key.trimEnd();
}

function withoutComment(text: string): string {
  if (text.startsWith("#")) return "";
  const comment = text.startsWith('"') || text.startsWith("'") ? -1 : text.indexOf(" #");
  return (comment === -1 ? text : text.slice(0, comment)).trim();
}

/** Whether a quoted text that begins with its first character ends in it. */
function isClosed(text: string, quote: string): boolean {
  for (let at = 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === "\\") at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return true;
    }
  }
  return false;
}

/** Open brackets after a text. */
function depthOf(text: string, before: number): number {
  let depth = before;
  let quoted = "";
  for (const character of text) {
    if (quoted !== "") quoted = character === quoted ? "" : quoted;
    else if (character === '"' || character === "'") quoted = character;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
  }
  return Math.max(0, depth);
}
