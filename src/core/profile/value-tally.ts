import { type DistinctValues, distinctValues, type Scalar } from "./distinct-values.js";

/** One value of a field and how many of the values that were looked at equal it. */
export interface ValueCount {
  readonly value: Scalar;
  readonly count: number;
}

/** Which scalar values were seen at one place. */
export interface ValueTally {
  /** The first different ones and their counts. */
  readonly counts: Map<Scalar, number>;
  /** Whether `counts` lacks some: there were too many, or too long ones. */
  lacksValues: boolean;
  /** Values that were seen. */
  seen: number;
  /** What is done with a further one: it is counted, and only told apart once it is clear that hardly one comes again. */
  noteNext: NoteValue;
  /** The further ones, as long as none has come twice. */
  others: DistinctValues | undefined;
  /** Whether a value has come twice, or it is not known whether one has. */
  repeats: boolean;
}

type NoteValue = (
  tally: ValueTally,
  value: Scalar,
  budget: { values: number },
  times: number,
) => void;

/** Different values that are counted at one place. */
const MAX_COUNTED = 1_000;
/** The longest string among them. */
export const MAX_VALUE_CHARACTERS = 80;
/** After so many different values it is clear whether they come again. */
const CLEAR = 200;
const RARE_SHARE = 0.9;

/** A place of which no value has been seen. */
export function createValueTally(): ValueTally {
  return {
    counts: new Map(),
    lacksValues: false,
    seen: 0,
    noteNext: countValue,
    others: undefined,
    repeats: false,
  };
}

/** Adds a value `times` times; `budget.values` is what may still be kept. */
export function noteValue(
  tally: ValueTally,
  value: Scalar,
  budget: { values: number },
  times = 1,
): void {
  tally.seen += times;
  // A long text is in no list, and whether it comes again nobody knows.
  if (typeof value === "string" && value.length > MAX_VALUE_CHARACTERS) {
    tally.lacksValues = true;
    tally.repeats = true;
    tally.others = undefined;
    return;
  }
  tally.noteNext(tally, value, budget, times);
}

function countValue(
  tally: ValueTally,
  value: Scalar,
  budget: { values: number },
  times: number,
): void {
  const { counts } = tally;
  const known = counts.get(value);
  if (known !== undefined) {
    counts.set(value, known + times);
    tally.repeats = true;
  } else if (counts.size < MAX_COUNTED && budget.values > 0 && isKept(value)) {
    budget.values -= 1;
    counts.set(value, times);
    if (times > 1) tally.repeats = true;
    if (counts.size === CLEAR && CLEAR >= RARE_SHARE * tally.seen) close(tally);
  } else {
    tally.lacksValues = true;
    if (tally.repeats) return;
    tally.others ??= distinctValues(counts.keys());
    noteOther(tally, value, budget, times);
  }
}

/** From now on it is only told whether a value comes twice. */
function close(tally: ValueTally): void {
  tally.noteNext = tellApart;
  if (!tally.repeats) tally.others = distinctValues(tally.counts.keys());
}

function tellApart(
  tally: ValueTally,
  value: Scalar,
  budget: { values: number },
  times: number,
): void {
  tally.lacksValues = true;
  if (!tally.repeats) noteOther(tally, value, budget, times);
}

/** Of further values it is only told whether one comes twice, as long as none has. */
function noteOther(
  tally: ValueTally,
  value: Scalar,
  budget: { values: number },
  times: number,
): void {
  const others = (tally.others ??= distinctValues([]));
  if (times === 1 && budget.values > 0 && isKept(value) && others.add(value)) budget.values -= 1;
  else {
    tally.repeats = true;
    tally.others = undefined;
  }
}

function isKept(value: Scalar): boolean {
  return (
    typeof value !== "string" || (value.length <= MAX_VALUE_CHARACTERS && value.isWellFormed())
  );
}

/** Adds what another place has seen. */
export function mergeValues(into: ValueTally, from: ValueTally, budget: { values: number }): void {
  const others = (from.others?.all() ?? []).filter((value) => !from.counts.has(value));
  budget.values += from.counts.size + others.length;
  for (const [value, count] of from.counts) noteValue(into, value, budget, count);
  into.repeats ||= from.repeats;
  for (const value of others) {
    if (into.repeats) break;
    noteOther(into, value, budget, 1);
  }
  if (into.repeats) into.others = undefined;
  into.lacksValues ||= from.lacksValues;
}
