import fc from "fast-check";

/** A record set of a document. */
interface PlantedSet {
  readonly path: readonly string[];
  readonly isMap: boolean;
}

/** A document with record sets, and what it has beside them. */
export interface PlantedDocument {
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly sets: readonly PlantedSet[];
  /** Paths of members that are in no set. */
  readonly rest: readonly (readonly string[])[];
}

const WORDS = 'orders refunds order output rest Rest q"uote back\\slash 日本 1st a_b a-b';
const KEYS: readonly string[] = [...WORDS.split(" "), "due date", ""];
/** Texts that a splitter of lines or brackets could fall for. */
const TEXTS = ["plain", '"],"x":[', "},\n{", "a,\n", "\\", "\u2028", "😀", "[]", "{}"] as const;

const text = fc.constantFrom(...TEXTS);
const plain = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
);

const set = fc.record({
  count: fc.integer({ min: 3, max: 30 }),
  isMap: fc.boolean(),
  values: fc.array(plain, { minLength: 1, maxLength: 5 }),
  padding: fc.constantFrom(0, 60, 500),
});
const beside = fc.oneof(
  plain,
  fc.array(fc.integer(), { maxLength: 5 }),
  fc.record({ inner: plain }),
  fc.constant("x".repeat(1_500)),
);

/** Documents of one to four sets, at most three keys down, in any order among other members. */
export const plantedDocuments: fc.Arbitrary<PlantedDocument> = fc
  .record({
    outer: fc.array(fc.constantFrom(...KEYS), { maxLength: 2 }),
    keys: fc.shuffledSubarray([...KEYS], { minLength: 2, maxLength: 7 }),
    sets: fc.array(set, { minLength: 1, maxLength: 4 }),
    beside: fc.array(beside, { minLength: 3, maxLength: 3 }),
    indent: fc.constantFrom(0, 2),
  })
  .map(({ outer, keys, sets, beside: others, indent }) => {
    const planted: PlantedSet[] = [];
    const rest: string[][] = [];
    const members = keys.map((key, place): [string, unknown] => {
      const path = [...outer, key];
      const made = sets[place];
      if (made === undefined) {
        rest.push(path);
        return [key, others[place % others.length]];
      }
      const { count, isMap, values, padding } = made;
      planted.push({ path, isMap });
      const records = Array.from({ length: count }, (_, index) => ({
        [`mark${place}`]: index,
        value: values[index % values.length],
        nested: { list: [index, { deep: values }] },
        padding: "p".repeat(padding),
      }));
      const entries = records.map((record, index): [string, unknown] => [`k"${index}`, record]);
      return [key, isMap ? Object.fromEntries(entries) : records];
    });
    let value: Record<string, unknown> = Object.fromEntries(members);
    for (const key of outer.toReversed()) value = { [key]: value };
    return { value, text: JSON.stringify(value, null, indent), sets: planted, rest };
  });

/** The value at a path. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let place = value;
  for (const key of path) place = typeof place === "object" && place && Reflect.get(place, key);
  return place;
}
