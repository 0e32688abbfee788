import { Parser } from "htmlparser2";

interface Place {
  readonly at: number;
  readonly children: Map<string, Place>;
  isRepeated: boolean;
  isObject: boolean;
}

/** `__proto__` is a valid name. */
type Attributes = ReadonlyMap<string, string>;

export interface Element {
  readonly name: string;
  readonly place: Place;
  readonly attributes: Attributes;
  text: string;
  children: Element[] | undefined;
  names: Set<string> | undefined;
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
  const root = elementAt("", placeAt(0), NONE);
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
        if (open.length > MAX_DEPTH) {
          throw new Error(`line ${lineAt()}: it is nested deeper than ${MAX_DEPTH} elements.`);
        }
        open.push(addChild(parent, name, attributes ?? NONE, parser.startIndex));
        attributes = undefined;
      },
      ontext(data) {
        const element = open.at(-1) ?? root;
        element.text += data;
      },
      onclosetag(name, isImplied) {
        const isEmpty = text[parser.endIndex - 1] === "/";
        if (isXml && isImplied && !isEmpty) {
          throw new Error(`it is no well-formed XML, line ${lineAt()}: <${name}> has no end.`);
        }
        open.pop();
      },
    },
    { xmlMode: isXml },
  );
  const lineAt = (): number => text.slice(0, parser.startIndex).split("\n").length;
  parser.end(text);
  return root;
}

function elementAt(name: string, place: Place, attributes: Attributes): Element {
  return { name, place, attributes, text: "", children: undefined, names: undefined };
}

function placeAt(at: number): Place {
  return { at, children: new Map(), isRepeated: false, isObject: false };
}

function addChild(parent: Element, name: string, attributes: Attributes, at: number): Element {
  const known = parent.place.children.get(name);
  const place = known ?? placeAt(at);
  if (known === undefined) parent.place.children.set(name, place);
  parent.place.isObject = true;
  if (attributes.size > 0) place.isObject = true;
  const names = (parent.names ??= new Set());
  if (names.has(name)) place.isRepeated = true;
  names.add(name);
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
  for (const group of groupsOf(element)) {
    const [{ name, place } = element] = group;
    const values = group.map(elementValue);
    members.push([name, place.isRepeated ? values : values[0]]);
  }
  return Object.fromEntries(members);
}

function groupsOf({ children = [] }: Element): Iterable<readonly Element[]> {
  const groups = new Map<string, Element[]>();
  for (const child of children) {
    const group = groups.get(child.name);
    if (group === undefined) groups.set(child.name, [child]);
    else group.push(child);
  }
  return groups.values();
}
