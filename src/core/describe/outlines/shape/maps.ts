import { isScalar, mergedShapes, type ShapeNode } from "./shape-tree.js";

/** Members of objects that are alike, under keys that are data. */
export interface ShapeMap {
  /** All of them as one place. */
  readonly values: () => ShapeNode;
  /** Different keys. */
  readonly keyCount: number;
  readonly keys: readonly string[];
  /** Members that are none of them. */
  readonly beside: ReadonlyMap<string, ShapeNode>;
}

type Member = readonly [key: string, node: ShapeNode];

/** Members from which objects may be maps: of objects and arrays, of scalars. */
const MIN_MEMBERS = 8;
const MIN_SCALARS = 20;
/** Of the members of an object, how many are of its map. */
const MAP_SHARE = 0.8;
/** Of all that the members of a map have, how much is common to many of them: to half of a few, to a tenth of many. */
const COMMON_SHARE = 0.5;
const MANY_MEMBERS = 20;
const COMMON_OF_FEW = 0.5;
const COMMON_OF_MANY = 0.1;
/** A member that fewer objects than this have is one of many. */
const RARE_SHARE = 0.25;

/** The map that the objects of a place are, but for a few other members. */
export function mapOf(node: ShapeNode): ShapeMap | undefined {
  const { members, items, count, others } = node;
  if (members === undefined || items !== undefined || members.size < MIN_MEMBERS) return undefined;
  const all = [...members];
  const rare = count > 1 ? all.filter(([, member]) => member.count < count * RARE_SHARE) : [];
  const ofRare = rare.length < all.length ? alikeOf(rare, count) : undefined;
  const alike = ofRare?.length === rare.length ? ofRare : alikeOf(all, count);
  if (alike === undefined) return undefined;
  const keys = new Set(alike.map(([key]) => key));
  let values: ShapeNode | undefined;
  return {
    values: () => (values ??= mergedShapes(alike.map(([, member]) => member))),
    keyCount: keys.size + others,
    keys: [...keys],
    beside: new Map(all.filter(([key]) => !keys.has(key))),
  };
}

/** Nearly all of the members, where they are of one kind and have something in common. */
function alikeOf(all: readonly Member[], count: number): readonly Member[] | undefined {
  const alike = ["object", "array"].flatMap((kind) => ofKind(all, kind)).at(0);
  const found = alike ?? (isScalarMap(all, count) ? all : []);
  const isMost = found.length >= MIN_MEMBERS && found.length >= all.length * MAP_SHARE;
  return isMost ? found : undefined;
}

function ofKind(all: readonly Member[], kind: string): (readonly Member[])[] {
  const same = all.filter(([, { kinds }]) =>
    [...kinds].every((one) => one === kind || one === "null"),
  );
  if (same.length < all.length * MAP_SHARE) return [];
  return [kind === "object" ? withCommonMembers(same) : withLikeElements(same)];
}

/** Objects that share most of what they have; but for those that share nothing, as what is told of all of them. */
function withCommonMembers(all: readonly Member[]): readonly Member[] {
  const times = new Map<string, number>();
  let total = 0;
  for (const [, { members }] of all) {
    for (const key of members?.keys() ?? []) times.set(key, (times.get(key) ?? 0) + 1);
    total += members?.size ?? 0;
  }
  const least = all.length * (all.length < MANY_MEMBERS ? COMMON_OF_FEW : COMMON_OF_MANY);
  let [most, common] = [0, 0];
  for (const having of times.values()) {
    most = Math.max(most, having);
    if (having >= least) common += having;
  }
  if (most < all.length * MAP_SHARE && (total === 0 || common < total * COMMON_SHARE)) return [];
  return all.filter(([, { members }]) => {
    const keys = [...(members?.keys() ?? [])];
    return keys.length === 0 || keys.some((key) => (times.get(key) ?? 0) > 1);
  });
}

/** Lists, if what they have is of one kind. */
function withLikeElements(all: readonly Member[]): readonly Member[] {
  const kinds = new Set(all.flatMap(([, { items }]) => [...(items?.kinds ?? [])]));
  return kinds.size <= 1 ? all : [];
}

/** Many scalars of one kind in one object, or in objects that have few of them each. */
function isScalarMap(all: readonly Member[], count: number): boolean {
  if (all.length < MIN_SCALARS || !all.every(([, node]) => isScalar(node))) return false;
  const kinds = new Set(all.flatMap(([, node]) => [...node.kinds]));
  const filled = all.reduce((sum, [, node]) => sum + node.count, 0);
  return kinds.size === 1 && (count === 1 || filled < count * all.length * RARE_SHARE);
}
