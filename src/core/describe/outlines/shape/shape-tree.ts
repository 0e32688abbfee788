import { noteScalar, type Scalars } from "./scalars.js";

/** What kinds of values stand at one place of a document, all instances of it taken together. */
export interface ShapeNode {
  /** Values that stand here. */
  count: number;
  readonly kinds: Set<ShapeKind>;
  /** What the scalars among them are, while they are few. */
  scalars: Scalars | undefined;
  /** Members of the objects among them. */
  members: Map<string, ShapeNode> | undefined;
  /** Elements of the arrays among them. */
  items: ShapeNode | undefined;
  /** Members that are not told apart, since there are too many. */
  others: number;
  /** Line of the first one, from 1. */
  readonly line: number;
}

export type ShapeKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** Makes nodes, as many as one outline may have. */
export interface ShapeMaker {
  readonly node: (line: number) => ShapeNode;
  /** The node of a member; `undefined` when it is not told apart. */
  readonly member: (of: ShapeNode | undefined, key: string, line: number) => ShapeNode | undefined;
  /** The node of an array's elements; `undefined` as for members. */
  readonly item: (of: ShapeNode | undefined, line: number) => ShapeNode | undefined;
}

/** The nodes of a member of several places, without those that are not told apart. */
export function membersOf(
  { member }: ShapeMaker,
  nodes: readonly ShapeNode[],
  key: string,
  line: number,
): readonly ShapeNode[] {
  return eachOf(nodes, (node) => member(node, key, line));
}

/** The nodes of the elements of several places. */
export function itemsOf(
  { item }: ShapeMaker,
  nodes: readonly ShapeNode[],
  line: number,
): readonly ShapeNode[] {
  return eachOf(nodes, (node) => item(node, line));
}

function eachOf(
  nodes: readonly ShapeNode[],
  below: (node: ShapeNode) => ShapeNode | undefined,
): readonly ShapeNode[] {
  const found: ShapeNode[] = [];
  for (const node of nodes) {
    const one = below(node);
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** Places that are told apart in one document, and members of one object. */
const MAX_NODES = 20_000;
const MAX_MEMBERS = 1_000;
const MAX_KEY_CHARACTERS = 100;

export function createShapes(): ShapeMaker {
  let made = 0;
  function node(line: number): ShapeNode {
    made += 1;
    return emptyShape(line);
  }
  return {
    node,
    member(of, key, line) {
      if (of === undefined) return undefined;
      const members = (of.members ??= new Map());
      const known = members.get(key);
      if (known !== undefined) return known;
      if (made >= MAX_NODES || members.size >= MAX_MEMBERS || key.length > MAX_KEY_CHARACTERS) {
        of.others += 1;
        return undefined;
      }
      const fresh = node(line);
      members.set(key, fresh);
      return fresh;
    },
    item(of, line) {
      if (of === undefined || (of.items === undefined && made >= MAX_NODES)) return undefined;
      return (of.items ??= node(line));
    },
  };
}

/** A place without values. */
export function emptyShape(line: number): ShapeNode {
  return {
    count: 0,
    kinds: new Set(),
    scalars: undefined,
    members: undefined,
    items: undefined,
    others: 0,
    line,
  };
}

/** Notes a value at its place; of a scalar, as JSON writes it. */
export function noteValue(node: ShapeNode | undefined, kind: ShapeKind, token?: string): void {
  if (node === undefined) return;
  node.count += 1;
  node.kinds.add(kind);
  if (kind !== "object" && kind !== "array") node.scalars = noteScalar(node.scalars, token, 1);
}

/** Notes a value at several places. */
export function noteAll(nodes: readonly ShapeNode[], kind: ShapeKind, token?: string): void {
  for (const node of nodes) noteValue(node, kind, token);
}

/** Adds the values of one place to another, without what is below them. */
export function addValues(to: ShapeNode, from: ShapeNode): void {
  to.count += from.count;
  to.others += from.others;
  for (const kind of from.kinds) to.kinds.add(kind);
  to.scalars = mergedScalars(to.scalars, from.scalars);
}

export function isScalar(node: ShapeNode): boolean {
  return node.members === undefined && node.items === undefined;
}

/** Several places as one. Linear in all that is below them. */
export function mergedShapes(nodes: readonly ShapeNode[]): ShapeNode {
  const all = emptyShape(nodes.reduce((line, node) => Math.min(line, node.line), Infinity));
  const members = new Map<string, ShapeNode[]>();
  const items: ShapeNode[] = [];
  for (const node of nodes) {
    addValues(all, node);
    if (node.items !== undefined) items.push(node.items);
    if (node.members !== undefined) all.members ??= new Map();
    for (const [key, member] of node.members ?? []) {
      const group = members.get(key);
      if (group === undefined) members.set(key, [member]);
      else group.push(member);
    }
  }
  for (const [key, group] of members) all.members?.set(key, oneOrMerged(group));
  if (items.length > 0) all.items = oneOrMerged(items);
  return all;
}

function oneOrMerged(group: readonly ShapeNode[]): ShapeNode {
  const [first] = group;
  return first !== undefined && group.length === 1 ? first : mergedShapes(group);
}

function mergedScalars(one: Scalars | undefined, other: Scalars | undefined): Scalars | undefined {
  let all = one;
  if (other === undefined) return all;
  for (const [token, count] of other.values) all = noteScalar(all, token, count);
  if (all !== undefined && other.isVaried) all = noteScalar(all, undefined, 0);
  return all ?? { ...other, values: new Map(other.values) };
}
