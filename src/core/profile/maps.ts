import { ANY_KEY, type Budget, type FieldType, Place } from "./place.js";

const MIN_VARYING = 10;
const MIN_DATA_KEYS = 4;
const MIN_OBJECTS = 8;
const MIN_OTHERS = 40;
const DATA_SHARE = 0.8;
const VARYING_SHARE = 0.75;
const LIKE_SHARE = 0.75;
const DATA_KEY = /^\d|^(?=.*\d)[\dA-Fa-f-]{4,}$|\/|.@/;

/**
 * Makes a map of an object whose keys are data: `stats.chrome` and `stats.firefox` become `stats.<key>`. Its members are
 * counted from here on, and all of them in the next pass. Fields of the records themselves stay.
 */
export function findMap(place: Place, budget: Budget): void {
  if (!budget.mayFindMaps || place.depth === 0 || place.members !== undefined) return;
  if (!areData(place)) return;
  place.members = new Place([...place.path, ANY_KEY], place.depth + 1);
  place.fields = [];
  place.byKey = undefined;
  budget.hasNewMaps = true;
}

function areData({ fields, objects }: Place): boolean {
  if (fields.length < MIN_DATA_KEYS) return false;
  const byType = new Map<FieldType, Place[]>();
  for (const field of fields) {
    const type = field.kinds.find(([one]) => one !== "null")?.[0];
    if (type !== undefined) byType.set(type, [...(byType.get(type) ?? []), field]);
  }
  const [type, like = []] =
    [...byType].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  if (type === undefined || like.length < LIKE_SHARE * fields.length) return false;
  if (type === "object" && !areAlike(like)) return false;
  const varying = fields.filter(({ count }) => 2 * count < objects).length;
  if (varying >= MIN_VARYING && varying >= VARYING_SHARE * fields.length) return true;
  if (fields.filter(({ key }) => DATA_KEY.test(key)).length >= DATA_SHARE * fields.length)
    return true;
  const most = type === "object" ? MIN_OBJECTS : MIN_OTHERS;
  return fields.length >= most;
}

function areAlike(objects: readonly Place[]): boolean {
  if (2 * objects.filter(({ members }) => members !== undefined).length > objects.length)
    return true;
  const having = new Map<string, number>();
  for (const { fields } of objects) {
    for (const { key } of fields) having.set(key, (having.get(key) ?? 0) + 1);
  }
  let all = 0;
  let shared = 0;
  for (const count of having.values()) {
    all += count;
    if (3 * count >= objects.length) shared += count;
  }
  return all > 0 && 2 * shared >= all;
}
