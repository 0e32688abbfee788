import { BYTES_BETWEEN_PAUSES, pause } from "../../../../util/pause.js";
import { endOfString } from "../../../content/json/json-text.js";
import { createShapes, noteValue, type ShapeKind, type ShapeNode } from "./shape-tree.js";

interface Frame {
  readonly node: ShapeNode | undefined;
  readonly isObject: boolean;
}

const MAX_DEPTH = 16;
const MAX_TOKEN_CHARACTERS = 26;
const SCALARS: Readonly<Record<string, ShapeKind>> = {
  '"': "string",
  t: "boolean",
  f: "boolean",
  n: "null",
};
const SPACE = 32;
const LINE_FEED = 10;

/** The shape of JSON text: of a document, or of several one after the other, or of the beginning of one. */
export async function jsonShape(text: string): Promise<ShapeNode> {
  const shapes = createShapes();
  const root = shapes.node(1);
  const open: Frame[] = [];
  let place: ShapeNode | undefined = root;
  let line = 1;
  let nextPause = BYTES_BETWEEN_PAUSES;
  let isKeyNext = false;

  function enter(isObject: boolean): void {
    noteValue(place, isObject ? "object" : "array");
    const node = open.length < MAX_DEPTH ? place : undefined;
    open.push({ node, isObject });
    isKeyNext = isObject;
    if (!isObject) place = shapes.item(node, line);
    else if (node !== undefined) node.members ??= new Map();
  }

  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      if (code === LINE_FEED) line += 1;
      at += 1;
      continue;
    }
    if (at > nextPause) {
      nextPause = at + BYTES_BETWEEN_PAUSES;
      await pause();
    }
    const character = text[at] ?? "";
    if (character === "{" || character === "[") {
      enter(character === "{");
      at += 1;
    } else if (character === "}" || character === "]") {
      open.pop();
      at += 1;
    } else if (character === ",") {
      const frame = open.at(-1);
      isKeyNext = frame?.isObject === true;
      if (frame !== undefined && !frame.isObject) place = shapes.item(frame.node, line);
      at += 1;
    } else if (character === ":") {
      at += 1;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (isKeyNext) {
        place = shapes.member(open.at(-1)?.node, keyOf(text.slice(at, end)), line);
        isKeyNext = false;
      } else noteValue(place, "string", shortToken(text, at, end));
      at = end;
    } else {
      const end = endOfScalar(text, at);
      noteValue(place, SCALARS[character] ?? "number", shortToken(text, at, end));
      at = end;
    }
    if (open.length === 0) place = root;
  }
  return root;
}

/** A scalar that is short enough to be counted. */
function shortToken(text: string, from: number, end: number): string | undefined {
  return end - from <= MAX_TOKEN_CHARACTERS ? text.slice(from, end) : undefined;
}

function keyOf(token: string): string {
  if (!token.includes("\\")) return token.slice(1, -1);
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}

function endOfScalar(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A comma, a brace, a bracket, white space.
    if (code === 44 || code === 125 || code === 93 || code <= SPACE) break;
  }
  return at;
}
