import { LINE_CHARACTERS, type LineReader } from "../text-parts.js";
import {
  createShapes,
  itemsOf,
  membersOf,
  noteAll,
  noteValue,
  type ShapeNode,
} from "./shape-tree.js";
import { createAnchors, type YamlPlace } from "./yaml-anchors.js";
import {
  afterQuoted,
  aliasesIn,
  aliasIn,
  BLOCK,
  endOfKey,
  indentOf,
  isEnd,
  mayBePlain,
  MERGE_KEY,
  PROPERTIES,
  unquoted,
  withoutComment,
} from "./yaml-line.js";
import { createOpenText } from "./yaml-open-text.js";
import { isTaggedText, kindOf, tokenOf } from "./yaml-scalar.js";

/** A mapping or a list that is open; of a mapping what it is merged with, of a list under a merge key the same. */
interface Frame extends YamlPlace {
  readonly indent: number;
  readonly isList: boolean;
  readonly keys: string[];
  merges: ShapeNode[] | undefined;
}

/** The shape of YAML. */
interface YamlShape {
  /** Several documents are an array. */
  readonly root: ShapeNode;
  /** Whether some members and values are not told, beside others of their place that are. */
  readonly isPartial: boolean;
}

/**
 * Reads the shape of YAML by its indentation; what is written in brackets is told, not looked into. What aliases and merge keys
 * name is there as often as they are.
 */
export interface YamlReader extends LineReader {
  /** `undefined` where it is seen to be no YAML. @param isWhole - Whether what is open at the end is a fault. */
  readonly shape: (isWhole: boolean) => YamlShape | undefined;
}

export function yamlReader(): YamlReader {
  const shapes = createShapes();
  const anchors = createAnchors(shapes);
  const text = createOpenText();
  const root = shapes.node(1);
  const open: Frame[] = [];
  let [documents, number] = [0, 0];
  let [isBegun, isDirective, isBroken, isPartial] = [false, true, false, false];
  /** Where the next value belongs, when a key or a dash stands alone, and the indentation of that key. */
  let pending: (YamlPlace & { readonly indent: number }) | undefined;
  /** Whether there is more of a line than is read, and anchors may be where nothing is looked into. */
  let [isCut, hasOtherAnchors] = [false, false];

  function endDocument(): void {
    settle();
    closeTo(() => false);
    anchors.endDocument();
    isBegun = false;
    text.reset();
  }

  function settle(): void {
    if (pending?.merges !== undefined) isBroken = true;
    if (pending !== undefined) noteAll(pending.nodes, "null", "null");
    pending = undefined;
  }

  function begin(): void {
    if (isBegun) return;
    isBegun = true;
    documents += 1;
    pending = { nodes: [root], indent: -1 };
  }

  function closeTo(stays: (frame: Frame) => boolean): void {
    for (let frame = open.at(-1); frame !== undefined && !stays(frame); frame = open.at(-1)) {
      open.pop();
      const { isList, merges, keys, nodes } = frame;
      if (merges === undefined || isList) continue;
      if (!anchors.merge(merges, keys, nodes)) isPartial = true;
    }
  }

  /** Begins a mapping or a list as the value that is waited for; without one, what stands there is a fault. */
  function openAt(indent: number, isList: boolean): Frame | undefined {
    if (pending === undefined || indent < pending.indent + (isList ? 0 : 1)) {
      isBroken = true;
      return undefined;
    }
    const { nodes, merges } = pending;
    pending = undefined;
    noteAll(nodes, isList ? "array" : "object");
    if (!isList) for (const node of nodes) node.members ??= new Map();
    if (!isList && merges !== undefined) isPartial = true;
    open.push({ indent, isList, nodes, keys: [], merges: isList ? merges : undefined });
    return open.at(-1);
  }

  function takeAlias(name: string | undefined, { nodes, merges }: YamlPlace): void {
    const named = name === undefined ? "none" : anchors.find(name);
    if (typeof named === "object") {
      if (open.some((frame) => frame.nodes.includes(named))) isBroken = true;
      else if (merges === undefined) isPartial = !anchors.add(named, nodes) || isPartial;
      else if (named.kinds.has("object")) merges.push(named);
      else isBroken = true;
    } else if (named === "untold" || hasOtherAnchors) isPartial = true;
    else isBroken = true;
  }

  function takeBrackets(plain: string, place: YamlPlace, indent: number): void {
    const aliases = place.merges && aliasesIn(plain);
    if (aliases !== undefined) {
      for (const name of aliases) takeAlias(name, place);
      return;
    }
    if (place.merges !== undefined) isPartial = true;
    noteAll(place.nodes, plain.startsWith("{") ? "object" : "array");
    if (plain !== "{}" && plain !== "[]") anchors.hide(place.nodes);
    if (!isCut) text.bracketed(plain, indent);
  }

  function takeQuoted(plain: string, mark: string): void {
    const rest = afterQuoted(plain, mark);
    if (rest === undefined && !isCut) text.quoted(mark);
    else if (rest !== undefined && !isEnd(rest)) isBroken = true;
  }

  function value(written: string, at: YamlPlace, indent: number): void {
    const [properties = ""] = PROPERTIES.exec(written) ?? [];
    const plain = withoutComment(written.slice(properties.length));
    const place = properties === "" ? at : anchors.placeOf(properties, at, number);
    const { nodes, merges } = place;
    pending = plain === "" ? { nodes, merges, indent } : undefined;
    if (plain === "") return;
    const first = plain[0] ?? "";
    if (first === "*") takeAlias(aliasIn(plain), place);
    else if (first === "{" || first === "[") takeBrackets(plain, place, indent);
    else if (merges !== undefined) isBroken = true;
    else if (BLOCK.test(plain)) {
      noteAll(nodes, "string");
      text.block(indent);
    } else {
      const kind = isTaggedText(properties) ? "string" : kindOf(plain);
      noteAll(nodes, kind, tokenOf(plain, kind));
      if (first === '"' || first === "'") takeQuoted(plain, first);
      else if (mayBePlain(plain)) text.plain(indent, nodes);
      else isBroken = true;
    }
  }

  function takeKey(written: string, rest: string, column: number): void {
    closeTo(({ indent, isList }) => indent < column || (indent === column && !isList));
    let frame = open.at(-1);
    if (frame?.indent === column) settle();
    else frame = openAt(column, false);
    if (frame === undefined) return;
    if (written.trimEnd() === MERGE_KEY) {
      value(rest, { nodes: [], merges: (frame.merges ??= []) }, column);
      return;
    }
    const key = unquoted(written.trimEnd());
    frame.keys.push(key);
    value(rest, { nodes: membersOf(shapes, frame.nodes, key, number) }, column);
  }

  function takeDash(column: number): YamlPlace | undefined {
    closeTo(({ indent }) => indent <= column);
    let frame = open.at(-1);
    if (frame?.indent === column && frame.isList) settle();
    else frame = openAt(column, true);
    return frame && { nodes: itemsOf(shapes, frame.nodes, number), merges: frame.merges };
  }

  function takeEntry(line: string): void {
    let column = indentOf(line);
    let rest = line.slice(column);
    while (rest === "-" || rest.startsWith("- ")) {
      const item = takeDash(column);
      if (item === undefined) return;
      const gap = indentOf(rest.slice(1)) + 1;
      const inner = rest.slice(gap);
      const [properties = ""] = PROPERTIES.exec(inner) ?? [];
      const own = inner.slice(properties.length);
      if (endOfKey(own) === -1 && own !== "-" && !own.startsWith("- ")) {
        value(inner, item, column);
        return;
      }
      pending = { ...item, indent: column };
      column += gap;
      rest = own;
      hasOtherAnchors ||= properties.includes("&");
    }
    const end = endOfKey(rest);
    if (end !== -1) takeKey(rest.slice(0, end), rest.slice(end + 1).trimStart(), column);
    else if (pending !== undefined && column > pending.indent) value(rest, pending, pending.indent);
    else isBroken = true;
  }

  return {
    take(line, lineNumber) {
      if (isBroken) return;
      number = lineNumber;
      isCut = line.length >= LINE_CHARACTERS;
      const isHidden = isCut || text.isOpen() || line.includes("{") || line.includes("[");
      hasOtherAnchors ||= isHidden && line.includes("&");
      const was = text.take(line);
      isBroken = was === "fault";
      const start = line.trimStart();
      if (was !== "new" || start.startsWith("#") || (isDirective && line.startsWith("%"))) return;
      if (line === "---" || line.startsWith("--- ")) {
        if (isBegun) endDocument();
        begin();
        if (line.length > 4) value(line.slice(4).trim(), { nodes: [root] }, -1);
        return;
      }
      isDirective = false;
      if (line === "...") {
        endDocument();
        isDirective = true;
        return;
      }
      begin();
      if (line.slice(0, line.length - start.length).includes("\t")) isBroken = true;
      else takeEntry(line.trimEnd());
    },
    shape(isWhole) {
      if (isBroken || (isWhole && text.isOpen())) return undefined;
      endDocument();
      if (isBroken || documents === 0) return undefined;
      isPartial ||= anchors.hasHidden();
      if (documents === 1) return { root, isPartial };
      const all = shapes.node(1);
      noteValue(all, "array");
      all.items = root;
      return { root: all, isPartial };
    },
  };
}
