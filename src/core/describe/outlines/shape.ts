type ShapeKind = "object" | "array" | "text" | "number" | "boolean" | "null";

type Scalar = string | number | boolean | null;
type Scalars = Map<Scalar, number>;

/** What stands at one place of a document, all instances of it taken together. */
export interface Shape {
  /** Values that stand here. */
  readonly count: number;
  readonly kinds: ReadonlyMap<ShapeKind, number>;
  readonly objects: number;
  /** The scalars, with how often each is there; `undefined` where they are many or long. */
  readonly scalars: ReadonlyMap<Scalar, number> | undefined;
  /** Members of the objects; `undefined` where there are none, or their keys are data. */
  readonly fields: ReadonlyMap<string, Shape> | undefined;
  readonly map: ShapeMap | undefined;
  /** Elements of the arrays; `undefined` without one. */
  readonly items: Shape | undefined;
}

/** Members of objects under keys that are data. */
export interface ShapeMap {
  /** All of them as one place. */
  readonly members: Shape;
  readonly keyCount: number;
  /** Keys of those that are alike. */
  readonly keys: readonly string[];
  /** Keys of the others. */
  readonly odd: readonly string[];
}

/** Places that are told apart, and levels that are looked into. Above them nothing is told of what is inside. */
const MAX_PLACES = 20_000;
const MAX_DEPTH = 24;
const MAX_VALUES = 12;
const MAX_CHARACTERS = 24;
/** A double keeps so many digits as they are written. */
const MAX_DIGITS = 15;

/** Looks at values that stand at one place. Every value is looked at once. */
export function shapeOf(values: readonly unknown[], depth = 0, budget = { places: 0 }): Shape {
  budget.places += 1;
  const kinds = new Map<ShapeKind, number>();
  const lists: (readonly unknown[])[] = [];
  const members = new Map<string, unknown[]>();
  let scalars: Scalars | undefined = new Map();
  let objects = 0;
  for (const value of values) {
    const kind = kindOf(value);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (Array.isArray(value)) lists.push(value);
    else if (typeof value === "object" && value !== null) {
      objects += 1;
      for (const key of Object.keys(value)) {
        const member: unknown = Reflect.get(value, key);
        const same = members.get(key);
        if (same === undefined) members.set(key, [member]);
        else same.push(member);
      }
    } else scalars &&= isScalar(value) ? withScalar(scalars, value) : undefined;
  }
  const isOver = depth >= MAX_DEPTH || budget.places + members.size > MAX_PLACES;
  const below = (some: readonly unknown[]): Shape => shapeOf(some, depth + 1, budget);
  const alike = objects === 0 ? undefined : alikeOf(members, objects);
  const isMap = alike !== undefined && depth < MAX_DEPTH;
  return {
    count: values.length,
    kinds,
    objects,
    scalars,
    fields:
      objects === 0 || isMap || isOver
        ? undefined
        : new Map([...members].map(([key, all]) => [key, below(all)])),
    map: isMap
      ? { members: below([...members.values()].flat()), keyCount: members.size, ...alike }
      : undefined,
    items: lists.length === 0 ? undefined : below(isOver ? [] : lists.flat()),
  };
}

function isScalar(value: unknown): value is Scalar {
  return value === null || KINDS[typeof value] !== undefined;
}

/** The scalars with another one, while they are few and short, and each number is as it was written. */
function withScalar(scalars: Scalars, value: Scalar): Scalars | undefined {
  const known = scalars.get(value);
  if (known === undefined) {
    const isLong =
      (typeof value === "string" && value.length > MAX_CHARACTERS) ||
      (typeof value === "number" && String(value).length > MAX_DIGITS);
    if (isLong || scalars.size >= MAX_VALUES) return undefined;
  }
  return scalars.set(value, (known ?? 0) + 1);
}

const KINDS: Readonly<Record<string, ShapeKind>> = {
  string: "text",
  number: "number",
  boolean: "boolean",
};

function kindOf(value: unknown): ShapeKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return KINDS[typeof value] ?? "object";
}

/** Members from which objects may be maps: of objects and arrays, of scalars. */
const MIN_MEMBERS = 8;
const MIN_SCALARS = 20;
/** Of the members of an object, how many are alike in a map. */
const MAP_SHARE = 0.8;
/** Of all that the members of a map have, how much is common to many of them: to half of a few, to a tenth of many. */
const COMMON_SHARE = 0.5;
const MANY_MEMBERS = 20;
const COMMON_OF_FEW = 0.5;
const COMMON_OF_MANY = 0.1;
/** A member that fewer objects than this have is one of many. */
const RARE_SHARE = 0.25;

/** The keys of members that are alike, where nearly all are: then keys are data. */
function alikeOf(
  members: ReadonlyMap<string, readonly unknown[]>,
  objects: number,
): Pick<ShapeMap, "keys" | "odd"> | undefined {
  if (members.size < MIN_MEMBERS) return undefined;
  const byKind = new Map<ShapeKind, string[]>();
  for (const [key, values] of members) {
    const kind = kindOf(values.find((value) => value !== null) ?? null);
    const same = byKind.get(kind);
    if (same === undefined) byKind.set(kind, [key]);
    else same.push(key);
  }
  const [[kind, keys] = ["null", []]] = [...byKind].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  if (keys.length < MAP_SHARE * members.size) return undefined;
  const firsts = keys.map((key) => members.get(key)?.find((value) => value !== null));
  const isAlike =
    kind === "object"
      ? haveCommonKeys(firsts)
      : kind === "array"
        ? haveOneKind(firsts)
        : keys.length === members.size && isScalarMap(members, objects);
  if (!isAlike) return undefined;
  const same = new Set(keys);
  return { keys, odd: [...members.keys()].filter((key) => !same.has(key)) };
}

/** Whether objects share most of what they have. */
function haveCommonKeys(all: readonly unknown[]): boolean {
  const times = new Map<string, number>();
  let [total, most, common] = [0, 0, 0];
  for (const key of all.flatMap((one) => Object.keys(one ?? {}))) {
    times.set(key, (times.get(key) ?? 0) + 1);
    total += 1;
  }
  const least = all.length * (all.length < MANY_MEMBERS ? COMMON_OF_FEW : COMMON_OF_MANY);
  for (const having of times.values()) {
    most = Math.max(most, having);
    if (having >= least) common += having;
  }
  return most >= all.length * MAP_SHARE || (total > 0 && common >= total * COMMON_SHARE);
}

function haveOneKind(lists: readonly unknown[]): boolean {
  const firsts = lists.flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []));
  return new Set(firsts.map(kindOf)).size <= 1;
}

/** Many scalars of one kind in one object, or in objects that have few of them each. */
function isScalarMap(members: ReadonlyMap<string, readonly unknown[]>, objects: number): boolean {
  if (members.size < MIN_SCALARS) return false;
  const filled = [...members.values()].reduce((sum, values) => sum + values.length, 0);
  return objects === 1 || filled < objects * members.size * RARE_SHARE;
}
