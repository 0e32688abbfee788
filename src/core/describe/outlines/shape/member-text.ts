import { safeJson, shorten } from "../../../../util/safe-text.js";
import type { ShapeMap } from "./maps.js";
import { fewValues } from "./scalars.js";
import { isScalar, type ShapeNode } from "./shape-tree.js";

/** What the writer of a shape knows of its document. */
export interface ShapeContext {
  /** Whether kinds of scalars are told: of XML all are text. */
  readonly hasKinds: boolean;
  /** Whether it is known how many objects lack a member. */
  readonly hasLacks: boolean;
  /** A count; of a part of the text the least that there is. */
  readonly amount: (count: number) => string;
  readonly mapOf: (node: ShapeNode) => ShapeMap | undefined;
}

/** Members of an object that is shown where it stands. */
const MAX_INLINE = 4;
const MAX_KEY_CHARACTERS = 40;
const SHOWN_KEYS = 3;
/** The values of a list's elements that are shown. */
const MAX_LISTED_CHARACTERS = 40;
/** Members without room after which none is looked at. */
const MAX_MISSED = 10;

/** The members of a place, as many as have room; what stands under keys that are data is told with its number. */
export function membersText(node: ShapeNode, context: ShapeContext, room: number): string {
  const map = context.mapOf(node);
  const members = [...(map?.beside ?? node.members ?? [])];
  const under =
    map === undefined
      ? ""
      : `${context.amount(map.keyCount)} like ${shownKey(map.keys[0] ?? "")}${typeText(map.values(), context)}`;
  let text = "";
  let [shown, missed] = [0, 0];
  for (const [key, member] of members) {
    const next = (shown === 0 ? "" : ", ") + memberText(key, member, node, context);
    const fits = shown === 0 || text.length + next.length + under.length <= room;
    if (fits) {
      text += next;
      shown += 1;
    } else missed += 1;
    if (missed > MAX_MISSED) break;
  }
  const more = members.length - shown + (map === undefined ? node.others : 0);
  const parts = [text, more === 0 ? "" : `${context.amount(more)} more`, under];
  return parts.filter((part) => part !== "").join(", ");
}

/** The first keys of a map. */
export function keysText({ keys, keyCount }: ShapeMap): string {
  const shown = keys.slice(0, SHOWN_KEYS);
  return shown.map((key) => shownKey(key)).join(", ") + (keyCount > shown.length ? ", …" : "");
}

function memberText(
  key: string,
  member: ShapeNode,
  parent: ShapeNode,
  context: ShapeContext,
): string {
  const lacking = parent.count - member.count;
  const lack =
    lacking <= 0 || !context.hasLacks
      ? ""
      : parent.kinds.size > 1
        ? " (some lack)"
        : ` (${context.amount(lacking)} lack)`;
  return `${shownKey(key)}${typeText(member, context)}${lack}`;
}

/** What a value is: `{} of 30 by key`, `[] of 4 {x: number}`, `: "a" ×3, "b" ×2`; nothing for text. */
export function typeText(node: ShapeNode, context: ShapeContext): string {
  const nested = nestedText(node, context);
  if (nested !== "") {
    const scalars = kindsOf(node);
    return scalars === "" ? nested : `${nested} or ${scalars}`;
  }
  const few = fewValues(node.scalars);
  if (few !== undefined) return `: ${few}`;
  const kinds = kindsOf(node);
  if (kinds === "text" && node.scalars?.isNumeric === true) return ": number in text";
  return !context.hasKinds || kinds === "text" ? "" : `: ${kinds}`;
}

function nestedText(node: ShapeNode, context: ShapeContext): string {
  const { kinds, items } = node;
  const map = kinds.has("object") ? context.mapOf(node) : undefined;
  const object = !kinds.has("object")
    ? ""
    : isInline(node)
      ? `{${[...(node.members ?? [])].map(([key, member]) => memberText(key, member, node, context)).join(", ")}}`
      : map !== undefined && map.beside.size === 0
        ? `{} of ${context.amount(map.keyCount)} by key`
        : "{}";
  if (!kinds.has("array")) return object;
  const array =
    items === undefined || items.count === 0
      ? "[]"
      : `[] of ${context.amount(items.count)} ${listedText(items, context)}`.trimEnd();
  return object === "" ? array : `${object} or ${array}`;
}

function listedText(items: ShapeNode, context: ShapeContext): string {
  if (!isScalar(items)) return typeText(items, context);
  const text = typeText(items, context).replace(/^: /, "");
  if (text !== "" && text.length <= MAX_LISTED_CHARACTERS) return text;
  return context.hasKinds ? kindsOf(items) : "";
}

/** An object with few members and nothing below them. */
export function isInline({ members, items, others }: ShapeNode): boolean {
  if (members === undefined || items !== undefined || others > 0) return false;
  return members.size <= MAX_INLINE && [...members.values()].every(isScalar);
}

/** The kinds of scalars. */
function kindsOf({ kinds }: ShapeNode): string {
  return [...kinds]
    .filter((kind) => kind !== "object" && kind !== "array")
    .map((kind) => (kind === "string" ? "text" : kind))
    .toSorted()
    .join("|");
}

function shownKey(key: string): string {
  const short = shorten(key, MAX_KEY_CHARACTERS);
  return /^[\w@#$][\w@#$:.-]*$/.test(short) ? short : safeJson(short);
}
