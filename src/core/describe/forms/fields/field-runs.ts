import type { ShapeNode } from "../../../profile/shape.js";
import type { ValueRange } from "../../../profile/extremes.js";
import { type FieldStyle, shows } from "./field-style.js";
import { typeText } from "./field-text.js";

/** One line of the descriptor: a field, or several that are alike. */
export interface Entry {
  readonly name: string;
  /** Records, or members of a map, that have the field or lack it. */
  readonly of: number;
  readonly path: readonly string[];
  readonly node: ShapeNode;
  /** The fields that the line stands for; `undefined` for one. */
  readonly run?: readonly ShapeNode[];
}

/** Fewer like fields have a line each. */
const MIN_RUN = 6;
const TYPES: FieldStyle = { detail: "types", maxValues: 0, of: 0, isSample: false, rows: false };

/**
 * Makes one line of fields whose names differ in their numbers alone and whose values are alike, such as a field for each
 * year. These lines come last.
 */
export function withRuns(entries: readonly Entry[], rows: boolean): readonly Entry[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (!/\d/.test(entry.name)) continue;
    const kind = typeText(entry.node, { ...TYPES, rows }).replaceAll("integer", "number");
    const group = `${entry.of} ${entry.name.replaceAll(/\d+/g, "#")} ${kind} ${elseText(entry.node)}`;
    const found = groups.get(group);
    if (found === undefined) groups.set(group, [entry]);
    else found.push(entry);
  }
  const runs = [...groups.values()].filter(({ length }) => length >= MIN_RUN);
  const inRuns = new Set(runs.flat());
  const single = entries.filter((entry) => !inRuns.has(entry));
  return [...single, ...runs.map((run) => runOf(run))];
}

/** How many texts are numbers and how many are not, where some are: one line would tell of the first field only. */
function elseText({ strings, empties, numerals, word = "" }: ShapeNode): string {
  const isBoth = numerals > 0 && numerals < strings - empties;
  return isBoth ? `${numerals} of ${strings - empties} ${word}` : "";
}

function runOf(found: readonly Entry[]): Entry {
  const run = found.toSorted((one, other) =>
    one.name.localeCompare(other.name, "en", { numeric: true }),
  );
  const [first, last] = [run[0]!, run.at(-1)!];
  return {
    ...first,
    name: `${first.name}..${last.name} (${run.length} fields)`,
    run: run.map(({ node }) => node),
  };
}

/** The type of such fields, the range of all their values, and how many records lack one at most. */
export function runText(nodes: readonly ShapeNode[], style: FieldStyle): string {
  const [first] = nodes;
  if (first === undefined) return "";
  const detail = shows(style, "ranges") ? "ranges" : style.detail;
  const text = typeText(joined(first, nodes), { ...style, detail });
  const lacking = style.of - Math.min(...nodes.map(({ count }) => count));
  if (!shows(style, "lacks")) return lacking > 0 ? `${text}?` : text;
  const most = [
    [lacking, "lack one"],
    [first.types.length > 1 ? Math.max(...nodes.map(({ nulls }) => nulls)) : 0, "null"],
    [Math.max(...nodes.map(({ empties, count }) => (empties < count ? empties : 0))), "empty"],
  ] as const;
  const mark = style.isSample ? "~" : "";
  const said = most.filter(([count]) => count > 0);
  return [text, ...said.map(([count, what]) => `up to ${mark}${count} ${what}`)].join(", ");
}

/** What holds of all of them. */
function joined(first: ShapeNode, nodes: readonly ShapeNode[]): ShapeNode {
  const types = new Set(nodes.flatMap((node) => node.types));
  const forms = new Set(nodes.map(({ numbersInText }) => numbersInText));
  return {
    ...first,
    types: [...types],
    values: undefined,
    commonValues: nodes.find(({ unique }) => unique)?.commonValues ?? first.commonValues,
    unique: false,
    hasTimes: nodes.some(({ hasTimes }) => hasTimes),
    numbersInText: forms.has("numbers") ? "numbers" : first.numbersInText,
    numberRange: widest(nodes.map(({ numberRange }) => numberRange)),
    stringRange: first.dateLike ? undefined : widest(nodes.map(({ stringRange }) => stringRange)),
    maxCharacters: Math.max(...nodes.map(({ maxCharacters }) => maxCharacters)),
    lengths: lengthsOf(nodes),
  };
}

/** `undefined` where one of them is not known. */
function widest(ranges: readonly (ValueRange | undefined)[]): ValueRange | undefined {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length < ranges.length) return undefined;
  const byMin = known.toSorted((one, other) => Number(one.min) - Number(other.min));
  const byMax = known.toSorted((one, other) => Number(one.max) - Number(other.max));
  const [min, max] = [byMin[0]?.min, byMax.at(-1)?.max];
  return min === undefined || max === undefined ? undefined : { min, max };
}

function lengthsOf(nodes: readonly ShapeNode[]): ShapeNode["lengths"] {
  const known = nodes.flatMap(({ lengths }) => lengths ?? []);
  if (known.length === 0) return undefined;
  return {
    min: Math.min(...known.map(({ min }) => min)),
    max: Math.max(...known.map(({ max }) => max)),
  };
}
