import { jqPath } from "../../../content/json/sets/set-names.js";
import type { Outline, OutlineEntry } from "../outline.js";
import { mapOf, type ShapeMap } from "./maps.js";
import { isInline, keysText, membersText, type ShapeContext, typeText } from "./member-text.js";
import { isScalar, type ShapeNode } from "./shape-tree.js";
import { grouped } from "../../../../util/amounts.js";

/** How a shape is written. */
export interface ShapeOptions {
  /** Lines of the text: of a few, they lead nowhere. */
  readonly lineCount: number;
  /** Whether kinds of scalars are told: of XML all are text. */
  readonly hasKinds: boolean;
  /** Of a part of the text, counts are the least that there is. */
  readonly isWhole: boolean;
  /** Whether some members and values are not told, beside others of their place that are; by default none. */
  readonly isPartial?: boolean;
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
  /** Whether its path leads to one of many that are told together. */
  readonly isExample?: boolean;
}

const MIN_LINES = 20;
const MAX_ENTRY_CHARACTERS = 280;
const MAX_KEY_CHARACTERS = 40;
const MAX_ENTRIES = 600;
const HEADER = "jq path (how many): members; {} object, [] array, × how often; untyped is text";
const PARTIAL = "not all is looked into: counts are the least, places may have more members";

/** A document's places, each with a path of jq, how many values are there, and what these have. */
export function shapeOutline(
  root: ShapeNode,
  { lineCount, hasKinds, isWhole, isPartial = false }: ShapeOptions,
): ShapeOutline | undefined {
  const hasLines = lineCount >= MIN_LINES;
  const maps = new Map<ShapeNode, ShapeMap | undefined>();
  const context: ShapeContext = {
    hasKinds,
    hasLacks: !isPartial,
    amount: (count) => (isWhole && !isPartial ? grouped(count) : `at least ${grouped(count)}`),
    mapOf(node) {
      if (!maps.has(node)) maps.set(node, mapOf(node));
      return maps.get(node);
    },
  };
  const entries: OutlineEntry[] = [];
  let total = 0;

  /** @param told - Of the values of a map, how many there are. */
  function visit(node: ShapeNode, place: Place, told?: string): void {
    const { path, isOnly } = place;
    const isOne = node.count === 1 && isOnly;
    if (told !== undefined) add(`${path} (${told})`, node, place.depth);
    else if (node.members !== undefined && !isWholeMap(node) && !isWay(node))
      add(isOne ? path : `${path} (${countOf(node, place, context)})`, node, place.depth);
    else if (node.items !== undefined && isScalar(node.items) && path === ".")
      add(`.[] (${context.amount(node.items.count)})`, node.items, place.depth);
    belowItems(node, place);
    belowMap(node, place);
    belowMembers(node, place);
  }

  function isWholeMap(node: ShapeNode): boolean {
    return context.mapOf(node)?.beside.size === 0;
  }

  function add(head: string, of: ShapeNode, depth: number): void {
    total += 1;
    if (entries.length >= MAX_ENTRIES) return;
    const line = hasLines ? `${of.line}: ` : "";
    const room = MAX_ENTRY_CHARACTERS - head.length;
    const isObject = of.members !== undefined && of.items === undefined && !isWholeMap(of);
    const type = isObject ? membersText(of, context, room) : typeText(of, context);
    const text = type === "" ? "text" : type.replace(/^: /, "");
    entries.push({ text: `${line}${head}: ${text}`, rank: depth, weight: of.count });
  }

  function belowItems({ items, kinds }: ShapeNode, place: Place): void {
    const { path, depth, mayLack } = place;
    if (items === undefined || isScalar(items) || (path !== "." && isInline(items))) return;
    // What is null, or no array, has no elements; an object has others.
    const isSafe = !mayLack && kinds.size === 1;
    const elements = kinds.has("object") ? " | arrays[]" : isSafe ? "[]" : "[]?";
    const inside = { ...place, path: path + elements, depth: depth + 1, isOnly: false };
    visit(items, { ...inside, mayLack: items.kinds.has("null") });
  }

  function belowMap(node: ShapeNode, place: Place): void {
    const { path, depth, mayLack } = place;
    const map = context.mapOf(node);
    const [first = ""] = map?.keys ?? [];
    if (map === undefined || first.length > MAX_KEY_CHARACTERS) return;
    const values = map.values();
    const isExample = place.isExample === true || map.beside.size > 0;
    const all = isExample
      ? `one of ${context.amount(values.count)}`
      : amountByKey(map, node, context);
    const told = `${all}: ${keysText(map)}`;
    if (map.beside.size === 0) {
      const every = `${path}[]${mayLack || node.kinds.size > 1 ? "?" : ""}`;
      const inside = { path: every, depth, isOnly: false, isExample };
      visit(values, { ...inside, mayLack: values.kinds.size > 1 }, told);
    } else if (!isScalar(values)) {
      // Of some members of an object, one stands for the others.
      const step = stepTo(first, node);
      const one = path === "." ? step : path + step;
      visit(
        values,
        { path: one, depth: depth + 1, isOnly: false, mayLack: true, isExample: true },
        told,
      );
    }
  }

  function belowMembers(node: ShapeNode, place: Place): void {
    const { path, depth, mayLack } = place;
    for (const [key, member] of context.mapOf(node)?.beside ?? node.members ?? []) {
      if (isScalar(member) || isInline(member) || key.length > MAX_KEY_CHARACTERS) continue;
      const step = stepTo(key, node);
      const isSure = member.count >= node.count && !member.kinds.has("null");
      visit(member, {
        ...place,
        path: path === "." ? step : path + step,
        depth: depth + 1,
        isOnly: node.count === 1,
        mayLack: mayLack || !isSure || node.kinds.size > 1,
      });
    }
  }

  visit(root, { path: ".", depth: 0, isOnly: true, mayLack: false });
  if (total === 0) return undefined;
  const facts = isPartial ? [HEADER, PARTIAL] : [HEADER];
  return { facts, entries, total, noun: "places", hasLines, isShape: true };
}

function countOf({ count }: ShapeNode, { isExample }: Place, context: ShapeContext): string {
  return isExample === true ? `one of ${context.amount(count)}` : context.amount(count);
}

function amountByKey(
  { values, keyCount }: ShapeMap,
  { count, others }: ShapeNode,
  context: ShapeContext,
): string {
  const all = values().count;
  return count === 1
    ? `${context.amount(all + others)} by key`
    : `${context.amount(all)} under ${context.amount(keyCount)} keys`;
}

function stepTo(key: string, { kinds }: ShapeNode): string {
  const isObject = [...kinds].every((kind) => kind === "object" || kind === "null");
  return jqPath([key]) + (isObject ? "" : "?");
}

/** An object that only leads to another place. */
function isWay({ members, count, others }: ShapeNode): boolean {
  if (members?.size !== 1 || count !== 1 || others > 0) return false;
  return [...members.values()].every(
    (member) => !isScalar(member) && !isInline(member) && !(member.items && isInline(member.items)),
  );
}
