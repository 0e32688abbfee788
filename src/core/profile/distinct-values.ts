/** A value of a record that is no container and not `null`. */
export type Scalar = string | number | boolean;

/** Values of which no two are equal. */
export interface DistinctValues {
  /** Adds a value and tells whether it is another one than all before. */
  add(value: Scalar): boolean;
  all(): readonly Scalar[];
}

/**
 * The values, and room for more. As long as they come in order, by length and then by text, as ids and dates do, none is
 * looked up.
 *
 * @param values - All different.
 */
export function distinctValues(values: Iterable<Scalar>): DistinctValues {
  const inOrder = [...values];
  let last = inOrder.at(-1);
  let direction = 0;
  let set: Set<Scalar> | undefined;
  for (let at = 1; at < inOrder.length && set === undefined; at += 1) {
    follow(orderOf(inOrder[at - 1], inOrder[at]));
  }

  /** The next one stands behind the last, before it, or cannot be compared. */
  function follow(order: number): void {
    if (order === 0 || order === -direction) set = new Set(inOrder);
    direction = order;
  }

  return {
    add(value) {
      if (set === undefined) {
        const order = orderOf(last, value);
        if (order === 0 || order !== direction) follow(order);
        last = value;
      }
      if (set === undefined) {
        inOrder.push(value);
        return true;
      }
      const { size } = set;
      return set.add(value).size > size;
    },
    all: () => (set === undefined ? inOrder : [...set]),
  };
}

/** 1 where a value follows the other, -1 where it precedes it, 0 where they are equal or of different types. */
function orderOf(one: Scalar | undefined, other: Scalar | undefined): number {
  if (typeof one === "string" && typeof other === "string") {
    if (one.length !== other.length) return other.length > one.length ? 1 : -1;
    return other > one ? 1 : other < one ? -1 : 0;
  }
  if (typeof one !== "number" || typeof other !== "number") return 0;
  return other > one ? 1 : other < one ? -1 : 0;
}
