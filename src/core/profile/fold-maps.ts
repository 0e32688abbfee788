import {
  createTally,
  FIELD_TYPES,
  type FieldTally,
  noteKey,
  type TallyBudget,
} from "./field-tally.js";
import { mergeRanges } from "./range-tally.js";
import { mergeValues } from "./value-tally.js";

/** What stands in a path for any key of a map. */
export const ANY_KEY = "<key>";

/** Keys of a map that differ from object to object: each is in fewer than half of them. */
const MIN_VARYING = 10;
/** Keys of a map that each object has: of objects that are alike, of keys that look like data, of any. */
const MIN_OBJECTS = 8;
const MIN_DATA_KEYS = 4;
const MIN_SCALARS = 40;
/** So many times more keys vary than are in most objects. */
const COMMON_SHARE = 4;
/** Share of the keys that look like data. */
const DATA_SHARE = 0.8;
const DATA_KEY = /^\d|^(?=.*\d)[\dA-Fa-f-]{4,}$/;

type Family = "object" | "array" | "string" | "number" | "boolean" | "null" | "mixed";

/**
 * Makes one place of all whose keys are data, below a tally and everywhere inside it: `stats.chrome` and `stats.firefox`
 * become `stats.<key>`. The fields of the records themselves stay fields.
 */
export function foldMaps(tally: FieldTally, budget: TallyBudget): void {
  for (const child of tally.children.values()) foldInside(child, budget);
  if (tally.items !== undefined) foldInside(tally.items, budget);
}

function foldInside(tally: FieldTally, budget: TallyBudget): void {
  foldMaps(tally, budget);
  if (tally.members !== undefined) foldInside(tally.members, budget);
  fold(tally, budget);
}

/** The same for the keys of one place. */
export function fold(tally: FieldTally, budget: TallyBudget): void {
  if (tally.path.length === 0 && !tally.inItems) return;
  const keys = keysOfData(tally);
  if (keys.length === 0) return;
  const members = (tally.members ??= createTally([...tally.path, ANY_KEY], true));
  const folded = new Set(keys);
  for (const child of keys) {
    tally.children.delete(child.key);
    noteKey(tally, child.key, child.count);
    merge(members, child, budget);
    budget.places += 1;
  }
  const kept = tally.inOrder.filter((child) => !folded.has(child));
  tally.inOrder.splice(0, Infinity, ...kept);
  foldInside(members, budget);
}

/** The fields whose names are data: many or varying, of values that are alike. */
function keysOfData(tally: FieldTally): readonly FieldTally[] {
  const all = [...tally.children.values()];
  const rare = all.filter(({ count }) => 2 * count < tally.types.object);
  if (tally.members !== undefined) {
    const family = familyOf(tally.members);
    const like = rare.filter((child) => familyOf(child) === family);
    const keys = new Set(tally.members.children.keys());
    const common = all.filter((child) => !rare.includes(child) && isOfKind(child, family, keys));
    return areFew(common, tally.memberKeys.size) ? [...like, ...common] : like;
  }
  const varying = rare.length < MIN_VARYING ? [] : alike(rare);
  if (varying.length >= MIN_VARYING) {
    const [first] = varying;
    const family = first && familyOf(first);
    const keys = commonKeys(varying);
    const common = all.filter((child) => !rare.includes(child) && isOfKind(child, family, keys));
    const isFew = areFew(common, varying.length);
    return [...varying, ...common.filter((child) => isFew || isLike(child, varying))];
  }
  const same = alike(all);
  if (same.length < all.length || all.length < MIN_DATA_KEYS) return [];
  const isData = all.filter(({ key }) => DATA_KEY.test(key)).length >= DATA_SHARE * all.length;
  const areObjects = familyOf(all[0]!) === "object" && all.length >= MIN_OBJECTS;
  return isData || areObjects || all.length >= MIN_SCALARS ? all : [];
}

/** Whether keys that most objects have are so few among those that vary that they are keys of the map too. */
function areFew(common: readonly FieldTally[], varying: number): boolean {
  return COMMON_SHARE * common.length <= varying;
}

/** Objects are of a kind where they have one of the keys. */
function isOfKind(
  child: FieldTally,
  family: Family | undefined,
  keys: ReadonlySet<string>,
): boolean {
  if (familyOf(child) !== family) return false;
  return family !== "object" || [...child.children.keys()].some((key) => keys.has(key));
}

/** Of fields those of the commonest family, where their values are alike; else none. */
function alike(children: readonly FieldTally[]): readonly FieldTally[] {
  const families = new Map<Family, FieldTally[]>();
  for (const child of children) {
    const family = familyOf(child);
    families.set(family, [...(families.get(family) ?? []), child]);
  }
  const nulls = families.get("null") ?? [];
  families.delete("null");
  const [family, found = []] =
    [...families].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  if (family === undefined || family === "mixed") return [];
  if (family === "object" && !areObjectsAlike(found)) return [];
  return [...found, ...nulls];
}

/** Whether a field that most objects have is one key more of those that vary. */
function isLike(child: FieldTally, varying: readonly FieldTally[]): boolean {
  if (familyOf(child) !== "object") return DATA_KEY.test(child.key);
  const common = commonKeys(varying);
  const shared = [...child.children.keys()].filter((key) => common.has(key)).length;
  return 2 * shared > Math.max(common.size, child.children.size);
}

/** Keys that at least half of the objects have. */
function commonKeys(objects: readonly FieldTally[]): ReadonlySet<string> {
  const having = new Map<string, number>();
  for (const key of objects.flatMap(({ children }) => [...children.keys()])) {
    having.set(key, (having.get(key) ?? 0) + 1);
  }
  return new Set(
    [...having].filter(([, count]) => 2 * count >= objects.length).map(([key]) => key),
  );
}

/** Objects that have their keys in common, or are maps of one kind of values. */
function areObjectsAlike(objects: readonly FieldTally[]): boolean {
  const common = commonKeys(objects);
  const keys = objects.flatMap(({ children }) => [...children.keys()]);
  const shared = keys.filter((key) => common.has(key)).length;
  if (shared > 0 && 2 * shared >= keys.length) return true;
  const maps = objects.filter(
    ({ members, children }) =>
      members !== undefined || [...children.keys()].some((key) => DATA_KEY.test(key)),
  );
  const families = new Set(objects.flatMap((each) => innerFamilies(each)));
  return 2 * maps.length > objects.length && families.size === 1 && !families.has("mixed");
}

function innerFamilies({ children, members }: FieldTally): Family[] {
  const inside = [...children.values(), ...(members === undefined ? [] : [members])];
  return inside.map((each) => familyOf(each)).filter((family) => family !== "null");
}

function familyOf({ types }: FieldTally): Family {
  const { object, array, string, number, integer, boolean } = types;
  const counts: readonly (readonly [Family, number])[] = [
    ["object", object],
    ["array", array],
    ["string", string],
    ["number", number + integer],
    ["boolean", boolean],
  ];
  const seen = counts.filter(([, count]) => count > 0);
  return seen.length > 1 ? "mixed" : (seen[0]?.[0] ?? "null");
}

/** Adds what one place has seen to another. */
function merge(into: FieldTally, from: FieldTally, budget: TallyBudget): void {
  into.count += from.count;
  for (const type of FIELD_TYPES) {
    into.types[type] += from.types[type];
  }
  for (const count of ["empties", "dates", "numerals", "stringCharacters"] as const) {
    into[count] += from[count];
  }
  into.word ??= from.word;
  into.maxCharacters = Math.max(into.maxCharacters, from.maxCharacters);
  into.lacksFields ||= from.lacksFields || from.omitted !== undefined;
  mergeValues(into.values, from.values, budget);
  mergeRanges(into.ranges, from.ranges);
  if (from.items !== undefined) {
    merge((into.items ??= createTally(into.path, true)), from.items, budget);
  }
  mergeMembers(into, from, budget);
}

function mergeMembers(into: FieldTally, from: FieldTally, budget: TallyBudget): void {
  if (from.members !== undefined) {
    into.members ??= createTally([...into.path, ANY_KEY], true);
    merge(into.members, from.members, budget);
  }
  for (const [key, count] of from.memberKeys) noteKey(into, key, count);
  into.lacksKeys ||= from.lacksKeys;
  for (const [key, child] of from.children) {
    const known = into.children.get(key);
    if (known !== undefined) {
      merge(known, child, budget);
      budget.places += 1;
      continue;
    }
    const own = createTally([...into.path, key], true);
    merge(own, child, budget);
    into.children.set(key, own);
    into.inOrder.push(own);
  }
}
