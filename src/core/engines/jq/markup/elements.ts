import { Parser } from "htmlparser2";

interface Place {
  readonly children: Map<string, Place>;
  isRepeated: boolean;
  isObject: boolean;
  lastParent: Element | undefined;
}

/** `__proto__` is a valid name. */
type Attributes = ReadonlyMap<string, string>;

export interface Element {
  readonly name: string;
  readonly place: Place;
  readonly attributes: Attributes;
  text: string;
  children: Element[] | undefined;
}

const MAX_DEPTH = 500;
const NONE: Attributes = new Map();

/**
 * Declared entities are not expanded.
 *
 * @throws Error with the line of an unclosed or too deep tag.
 */
export function readElements(text: string, markup: "xml" | "html"): Element {
  const isXml = markup === "xml";
  const root = elementAt("", newPlace(), NONE);
  root.place.isObject = true;
  const open: Element[] = [root];
  let attributes: Map<string, string> | undefined;
  const parser: Parser = new Parser(
    {
      onattribute(name, value) {
        attributes ??= new Map();
        if (!attributes.has(name)) attributes.set(name, value);
      },
      onopentag(name) {
        const parent = open.at(-1) ?? root;
        if (name === "br") parent.text += "\n";
        if (open.length > MAX_DEPTH) {
          throw new Error(`line ${lineAt()}: it is nested deeper than ${MAX_DEPTH} elements.`);
        }
        open.push(addChild(parent, name, attributes ?? NONE));
        attributes = undefined;
      },
      ontext(data) {
        (open.at(-1) ?? root).text += data;
      },
      onclosetag(name, isImplied) {
        const isEmpty = text[parser.endIndex - 1] === "/";
        if (isXml && isImplied && !isEmpty) {
          throw new Error(`it is not well-formed XML, line ${lineAt()}: <${name}> is not closed.`);
        }
        open.pop();
      },
    },
    { xmlMode: isXml },
  );
  const lineAt = () => text.slice(0, parser.startIndex).split("\n").length;
  parser.end(text);
  return root;
}

function elementAt(name: string, place: Place, attributes: Attributes): Element {
  return { name, place, attributes, text: "", children: undefined };
}

function newPlace(): Place {
  return { children: new Map(), isRepeated: false, isObject: false, lastParent: undefined };
}

function addChild(parent: Element, name: string, attributes: Attributes): Element {
  const place = parent.place.children.get(name) ?? newPlace();
  parent.place.children.set(name, place);
  parent.place.isObject = true;
  if (attributes.size > 0) place.isObject = true;
  if (place.lastParent === parent) place.isRepeated = true;
  place.lastParent = parent;
  const element = elementAt(name, place, attributes);
  (parent.children ??= []).push(element);
  return element;
}

export function elementValue(element: Element): unknown {
  const text = element.text.trim();
  if (!element.place.isObject) return text;
  const members: [string, unknown][] = [...element.attributes].map(([name, value]) => [
    `@${name}`,
    value,
  ]);
  if (text !== "" && element.name !== "") members.push(["#text", text]);
  const lists = new Map<string, unknown[]>();
  for (const child of element.children ?? []) {
    const { name, place } = child;
    const list = lists.get(name);
    const value = elementValue(child);
    if (list !== undefined) list.push(value);
    else if (place.isRepeated) lists.set(name, [value]);
    if (list === undefined) members.push([name, lists.get(name) ?? value]);
  }
  return Object.fromEntries(members);
}
