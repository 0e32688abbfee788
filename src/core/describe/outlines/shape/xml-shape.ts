import { readTags, type Tag } from "./markup-tags.js";
import { noteScalar, type Scalars } from "./scalars.js";
import { emptyShape, type ShapeNode } from "./shape-tree.js";

/** How many elements have it, and its values. */
interface Attribute {
  count: number;
  scalars: Scalars | undefined;
}

/** All elements of one path. */
interface Place {
  count: number;
  /** Parents that have one or more, and the last of them. */
  parents: number;
  lastParent: number;
  /** Whether one parent has several. */
  isRepeated: boolean;
  hasText: boolean;
  readonly attributes: Map<string, Attribute>;
  readonly children: Map<string, Place>;
  readonly line: number;
}

interface Open {
  readonly name: string;
  /** `undefined` below the places that are told apart. */
  readonly place: Place | undefined;
  readonly serial: number;
}

const MAX_PLACES = 6_000;
const MAX_DEPTH = 24;
const MAX_OPEN = 100_000;
const MAX_NAME_CHARACTERS = 100;
const MAX_VALUE_CHARACTERS = 24;

/**
 * The shape of XML as jq sees it: attributes as `@name`, the text of an element that has attributes or children as `#text`, an
 * array where any parent has several of a name. `undefined` when tags do not match.
 *
 * @param isWhole - Whether what is open at the end is a fault.
 */
export async function xmlShape(text: string, isWhole: boolean): Promise<ShapeNode | undefined> {
  let made = 0;
  let serial = 0;
  let isBroken = false;
  const root = placeAt(1);
  const open: Open[] = [{ name: "", place: root, serial: 0 }];

  function placeAt(line: number): Place {
    made += 1;
    return {
      count: 0,
      parents: 0,
      lastParent: -1,
      isRepeated: false,
      hasText: false,
      attributes: new Map(),
      children: new Map(),
      line,
    };
  }

  function begin(tag: Tag, parent: Open): Place | undefined {
    const { place } = parent;
    if (place === undefined || tag.name.length > MAX_NAME_CHARACTERS) return undefined;
    let own = place.children.get(tag.name);
    if (own === undefined) {
      if (made >= MAX_PLACES || open.length > MAX_DEPTH) return undefined;
      own = placeAt(tag.line);
      place.children.set(tag.name, own);
    }
    own.count += 1;
    if (own.lastParent === parent.serial) own.isRepeated = true;
    else own.parents += 1;
    own.lastParent = parent.serial;
    noteAttributes(own.attributes, tag);
    return own;
  }

  await readTags(text, (tag) => {
    const parent = open.at(-1);
    if (isBroken || parent === undefined) return;
    if (tag.hasTextBefore && parent.place !== undefined) parent.place.hasText = true;
    if (tag.isEnd) {
      isBroken = parent.name !== tag.name || open.length === 1;
      open.pop();
      return;
    }
    serial += 1;
    isBroken = open.length > MAX_OPEN || tag.name === "";
    const place = begin(tag, parent);
    if (!tag.isEmpty) open.push({ name: tag.name, place, serial });
  });
  if (isBroken || (isWhole && open.length !== 1) || root.children.size === 0) return undefined;
  root.count = 1;
  root.hasText = false;
  return shapeOf(root);
}

function noteAttributes(known: Map<string, Attribute>, { attributes, values }: Tag): void {
  for (const [at, name] of attributes.entries()) {
    const attribute = known.get(name) ?? { count: 0, scalars: undefined };
    attribute.count += 1;
    attribute.scalars = noteScalar(attribute.scalars, tokenOf(values[at] ?? ""), 1);
    known.set(name, attribute);
  }
}

/** As JSON writes it, where no reference to a character stands in it. */
function tokenOf(value: string): string | undefined {
  if (value.length > MAX_VALUE_CHARACTERS || value.includes("&")) return undefined;
  return JSON.stringify(value);
}

/** A place as the value that it is for jq. */
function shapeOf(place: Place): ShapeNode {
  const { count, attributes, children, hasText, line } = place;
  const node = leaf(line, count);
  if (attributes.size === 0 && children.size === 0) {
    node.kinds.add("string");
    return node;
  }
  node.kinds.add("object");
  const members = new Map<string, ShapeNode>();
  for (const [name, { count: times, scalars }] of attributes)
    members.set(`@${name}`, { ...stringAt(line, times), scalars });
  if (hasText) members.set("#text", stringAt(line, count));
  for (const [name, child] of children) members.set(name, memberOf(child));
  node.members = members;
  return node;
}

function memberOf(child: Place): ShapeNode {
  const value = shapeOf(child);
  if (!child.isRepeated) return value;
  const node = leaf(child.line, child.parents);
  node.kinds.add("array");
  node.items = value;
  return node;
}

function stringAt(line: number, count: number): ShapeNode {
  const node = leaf(line, count);
  node.kinds.add("string");
  return node;
}

function leaf(line: number, count: number): ShapeNode {
  return { ...emptyShape(line), count };
}
