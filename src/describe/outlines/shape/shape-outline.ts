import { safeJson, shorten } from "../../../util/safe-text.js";
import { jqPath } from "../../recipes/jq-path.js";
import type { Outline, OutlineEntry } from "../outline.js";
import { mergedMembers, type ShapeNode } from "./shape-tree.js";

/** How a shape is written. */
export interface ShapeOptions {
  /** Lines of the text: of a few, they lead nowhere. */
  readonly lineCount: number;
  /** Whether kinds of scalars are told: of XML all are strings. */
  readonly hasKinds: boolean;
  /** Of a part of the text, counts are the least that there is. */
  readonly isWhole: boolean;
}

/** An outline of a document's shape, and which of its parts jq reads. */
export interface ShapeOutline extends Outline {
  readonly isShape: true;
}

/** Where a node is. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** Whether what it stands in is there once. */
  readonly isOnly: boolean;
  /** Whether it is null for some of what it stands in. */
  readonly mayLack: boolean;
}

const MIN_LINES = 20;
const MAX_ENTRY_CHARACTERS = 240;
const MAX_KEY_CHARACTERS = 40;
const MAX_ENTRIES = 600;
/** Members from which an object of like objects is a map. */
const MIN_MAP_MEMBERS = 8;
const MIN_COMMON_SHARE = 0.5;
const SHOWN_KEYS = 3;
const HEADER = "jq path (how many): members; {} object, [] array, ? not in all";
/** Members of an object that is shown where it stands. */
const MAX_INLINE = 4;

/** A document's places, each with a path of jq, how many values are there, and what these have. */
export function shapeOutline(root: ShapeNode, options: ShapeOptions): ShapeOutline | undefined {
  const hasLines = options.lineCount >= MIN_LINES;
  const { isWhole } = options;
  const entries: OutlineEntry[] = [];
  let total = 0;

  function visit(node: ShapeNode, { path, depth, isOnly, mayLack }: Place): void {
    if (isMap(node)) {
      const values = mergedMembers(node);
      const [first = ""] = node.members?.keys() ?? [];
      const keys = [...(node.members?.keys() ?? [])].slice(0, SHOWN_KEYS).map(shownKey).join(", ");
      const inside = `${path}[]${mayLack ? "?" : ""}`;
      const size = (node.members?.size ?? 0) + node.others;
      add(
        `${inside} (${amount(values.count, isWhole)} by key: ${keys}${size > SHOWN_KEYS ? ", …" : ""})`,
        values,
      );
      if (first !== "") below(values, { path: inside, depth: depth + 1, isOnly: false, mayLack });
      return;
    }
    if (node.members !== undefined && !isWay(node)) {
      const isOne = node.count === 1 && isOnly;
      add(isOne ? path : `${path} (${amount(node.count, isWhole)})`, node);
    } else if (node.items !== undefined && isScalar(node.items) && path === ".") {
      add(
        `.[] (${amount(node.items.count, isWhole)} ${[...node.items.kinds].join("|")})`,
        node.items,
      );
    }
    below(node, { path, depth, isOnly, mayLack });

    function add(head: string, of: ShapeNode): void {
      total += 1;
      if (entries.length >= MAX_ENTRIES) return;
      const line = hasLines ? `${node.line}: ` : "";
      const text = `${line}${head}${membersOf(of, options, MAX_ENTRY_CHARACTERS - head.length)}`;
      entries.push({ text, rank: depth, weight: of.count });
    }
  }

  function below(node: ShapeNode, place: Place): void {
    const { path, depth, mayLack } = place;
    const { items, members, kinds, count } = node;
    if (items !== undefined && !isScalar(items) && !(path !== "." && isInline(items))) {
      // What is null, or no array, has no elements; an object has others.
      const isSafe = !mayLack && kinds.size === 1;
      const elements = kinds.has("object") ? " | arrays[]" : isSafe ? "[]" : "[]?";
      const inside = path + elements;
      visit(items, {
        path: inside,
        depth: depth + 1,
        isOnly: false,
        mayLack: items.kinds.has("null"),
      });
    }
    const isObject = [...kinds].every((kind) => kind === "object" || kind === "null");
    for (const [key, member] of members ?? []) {
      if (isScalar(member) || isInline(member) || key.length > MAX_KEY_CHARACTERS) continue;
      const step = jqPath([key]) + (isObject ? "" : "?");
      visit(member, {
        path: path === "." ? step : path + step,
        depth: depth + 1,
        isOnly: count === 1,
        mayLack: mayLack || member.count < count || member.kinds.has("null") || kinds.size > 1,
      });
    }
  }

  visit(root, { path: ".", depth: 0, isOnly: true, mayLack: false });
  if (total === 0) return undefined;
  return { facts: [HEADER], entries, total, noun: "places", hasLines, isShape: true };
}

function isScalar(node: ShapeNode): boolean {
  return node.members === undefined && node.items === undefined;
}

/** An object with few members and nothing below them. */
function isInline({ members, items, others }: ShapeNode): boolean {
  if (members === undefined || items !== undefined || others > 0) return false;
  return members.size <= MAX_INLINE && [...members.values()].every(isScalar);
}

/** An object that only leads to another place. */
function isWay({ members, count, others }: ShapeNode): boolean {
  if (members?.size !== 1 || count !== 1 || others > 0) return false;
  return [...members.values()].every(
    (member) => !isScalar(member) && !isInline(member) && !(member.items && isInline(member.items)),
  );
}

/** Whether the members of an object are like records under keys that are data. */
function isMap({ members, count, kinds }: ShapeNode): boolean {
  if (members === undefined || count !== 1 || members.size < MIN_MAP_MEMBERS || kinds.size > 1)
    return false;
  const keys = new Map<string, number>();
  let all = 0;
  for (const { members: inner, count: times, kinds: innerKinds } of members.values()) {
    if (inner === undefined || times !== 1 || innerKinds.size > 1) return false;
    for (const key of inner.keys()) keys.set(key, (keys.get(key) ?? 0) + 1);
    all += inner.size;
  }
  let common = 0;
  for (const having of keys.values()) if (having * 2 >= members.size) common += having;
  return common >= all * MIN_COMMON_SHARE;
}

function membersOf(node: ShapeNode, options: ShapeOptions, room: number): string {
  const { members, others } = node;
  if (members === undefined) return "";
  let text = ": ";
  let shown = 0;
  for (const [key, member] of members) {
    const next = (shown === 0 ? "" : ", ") + memberText(key, member, node.count, options);
    if (text.length + next.length > room && shown > 0) break;
    text += next;
    shown += 1;
  }
  const more = members.size - shown + others;
  return more === 0 ? text : `${text}, ${amount(more, options.isWhole)} more`;
}

function memberText(
  key: string,
  member: ShapeNode,
  parentCount: number,
  options: ShapeOptions,
): string {
  const { hasKinds } = options;
  const { members, items, kinds, count } = member;
  const marks = (kinds.has("object") ? "{}" : "") + (kinds.has("array") ? "[]" : "");
  const optional = count < parentCount ? "?" : "";
  const name = shownKey(key) + marks + optional;
  const inner = members === undefined ? items : member;
  if (inner !== undefined && isInline(inner)) {
    const shown = [...(inner.members ?? [])].map(([inside, value]) =>
      memberText(inside, value, inner.count, options),
    );
    return `${name.replace("{}", "")}{${shown.join(", ")}}`;
  }
  if (!hasKinds) return name;
  if (items !== undefined && isScalar(items) && members === undefined)
    return `${name} of ${amount(items.count, options.isWhole)} ${kindsOf(items)}`;
  const scalars = kindsOf(member);
  return marks !== "" || scalars === "string" ? name : `${name}: ${scalars}`;
}

/** The kinds of scalars. */
function kindsOf({ kinds }: ShapeNode): string {
  return [...kinds]
    .filter((kind) => kind !== "object" && kind !== "array")
    .toSorted()
    .join("|");
}

function shownKey(key: string): string {
  const short = shorten(key, MAX_KEY_CHARACTERS);
  return /^[\w@#$][\w@#$:.-]*$/.test(short) ? short : safeJson(short);
}

function amount(count: number, isWhole: boolean): string {
  return `${isWhole ? "" : "at least "}${count.toLocaleString("en-US")}`;
}
