/** What kinds of values stand at one place of a document, all instances of it taken together. */
export interface ShapeNode {
  /** Values that stand here. */
  count: number;
  readonly kinds: Set<ShapeKind>;
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

/** Places that are told apart in one document, and members of one object. */
const MAX_NODES = 6_000;
const MAX_MEMBERS = 1_000;
const MAX_KEY_CHARACTERS = 100;

export function createShapes(): ShapeMaker {
  let made = 0;
  function node(line: number): ShapeNode {
    made += 1;
    return { count: 0, kinds: new Set(), members: undefined, items: undefined, others: 0, line };
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

/** Notes a value at its place. */
export function noteValue(node: ShapeNode | undefined, kind: ShapeKind): void {
  if (node === undefined) return;
  node.count += 1;
  node.kinds.add(kind);
}

/** All members of a map as one place. */
export function mergedMembers(node: ShapeNode): ShapeNode {
  const { members } = node;
  const all = [...(members?.values() ?? [])];
  return all.slice(1).reduce(merged, all[0] ?? createShapes().node(node.line));
}

function merged(one: ShapeNode, other: ShapeNode): ShapeNode {
  const members = new Map(one.members);
  for (const [key, member] of other.members ?? []) {
    const known = members.get(key);
    members.set(key, known === undefined ? member : merged(known, member));
  }
  const items =
    one.items && other.items ? merged(one.items, other.items) : (one.items ?? other.items);
  return {
    count: one.count + other.count,
    kinds: new Set([...one.kinds, ...other.kinds]),
    members: members.size === 0 ? undefined : members,
    items,
    others: one.others + other.others,
    line: Math.min(one.line, other.line),
  };
}
