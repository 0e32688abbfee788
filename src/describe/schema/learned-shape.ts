import type { FieldType } from "../profile/field-tally.js";
import type { RecordProfile } from "../profile/profile.js";
import type { ShapeNode } from "../profile/shape.js";

/** What many outputs of a tool have had at one place of their records. */
export interface LearnedShape {
  /** Values that were looked at, and how many of them were `null`. */
  count: number;
  nulls: number;
  readonly types: Set<FieldType>;
  readonly fields: Map<string, LearnedShape>;
  /** Members of objects whose keys are data. The keys are not kept. */
  members: LearnedShape | undefined;
  items: LearnedShape | undefined;
  /** What all texts were; `undefined` before any and `mixed` after others. */
  format: "date" | "date-time" | "none" | undefined;
  /** Words that are all that ever stood here; `undefined` where there were too many, or others. */
  words: Set<string> | undefined;
  /** Sessions that had this place: the first one, and whether another had it too. */
  firstScope: string;
  isShared: boolean;
  /** Whether places below were left out. */
  lacksFields: boolean;
}

/** Places of one tool. */
const MAX_PLACES = 500;
const MAX_DEPTH = 8;
const MAX_NAME_CHARACTERS = 64;
const MAX_WORDS = 8;
/** A word is seen so often on average, or it may be a name that nobody else has. */
const MIN_REPEATS = 10;
const WORD = /^[A-Za-z][\w-]{0,23}$/;

/** What is known of one tool. */
export interface LearnedTool {
  outputs: number;
  /** Records of these outputs, and how many of them were looked at. */
  records: number;
  looked: number;
  /** Whether every record was. */
  complete: boolean;
  readonly root: LearnedShape;
  places: number;
}

export function createLearnedTool(scope: string): LearnedTool {
  return {
    outputs: 0,
    records: 0,
    looked: 0,
    complete: true,
    root: createShape(scope),
    places: 0,
  };
}

/** Adds what one output's profile says. Work is bounded by the places of the profile. */
export function learn(tool: LearnedTool, profile: RecordProfile, scope: string): void {
  tool.outputs += 1;
  tool.records += profile.recordCount;
  tool.looked += profile.sampledCount;
  tool.complete &&= profile.complete && profile.omittedFields === 0;
  merge(tool, tool.root, profile.root, { scope, depth: 0 });
}

function createShape(scope: string): LearnedShape {
  return {
    count: 0,
    nulls: 0,
    types: new Set(),
    fields: new Map(),
    members: undefined,
    items: undefined,
    format: undefined,
    words: new Set(),
    firstScope: scope,
    isShared: false,
    lacksFields: false,
  };
}

interface At {
  readonly scope: string;
  readonly depth: number;
}

function merge(tool: LearnedTool, into: LearnedShape, node: ShapeNode, at: At): void {
  into.count += node.count;
  into.nulls += node.nulls;
  into.isShared ||= into.firstScope !== at.scope;
  into.lacksFields ||= node.lacksFields;
  for (const type of node.types) into.types.add(type);
  noteTexts(into, node);
  const below = { ...at, depth: at.depth + 1 };
  const room = (name = ""): LearnedShape | undefined => {
    const isLong = name.length > MAX_NAME_CHARACTERS;
    if (isLong || tool.places >= MAX_PLACES || below.depth > MAX_DEPTH) {
      into.lacksFields = true;
      return undefined;
    }
    tool.places += 1;
    return createShape(at.scope);
  };
  for (const field of node.fields) {
    const name = field.path.at(-1) ?? "";
    const shape = into.fields.get(name) ?? room(name);
    if (shape === undefined) continue;
    into.fields.set(name, shape);
    merge(tool, shape, field, below);
  }
  if (node.map !== undefined) {
    into.members ??= room();
    if (into.members !== undefined) merge(tool, into.members, node.map.members, below);
  }
  if (node.items !== undefined) {
    into.items ??= room();
    if (into.items !== undefined) merge(tool, into.items, node.items, below);
  }
}

function noteTexts(into: LearnedShape, node: ShapeNode): void {
  if (node.strings === 0) return;
  const format = !node.dateLike || node.empties > 0 ? "none" : node.hasTimes ? "date-time" : "date";
  into.format = into.format === undefined || into.format === format ? format : "none";
  const values = node.values?.map(({ value }) => value);
  if (values === undefined || values.length > MAX_WORDS || node.empties > 0) into.words = undefined;
  for (const value of values ?? []) {
    if (typeof value === "string" && WORD.test(value)) into.words?.add(value);
    else into.words = undefined;
  }
  if (into.words !== undefined && into.words.size > MAX_WORDS) into.words = undefined;
}

/** The words of a place that are few, and each of them frequent. */
export function enumOf({ words, count, format }: LearnedShape): readonly string[] | undefined {
  if (words === undefined || words.size === 0 || format !== "none") return undefined;
  return count >= MIN_REPEATS * words.size ? [...words].toSorted() : undefined;
}
