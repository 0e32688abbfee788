import { elementTexts, membersOf, textAt } from "../../../../core/content/json/json-text.js";
import { shorten } from "../../../../util/safe-text.js";
import { GuestFault } from "../host-port.js";

/** A member that is asked for, or that leads to one. */
interface Wanted {
  /** Where it stands among its siblings in what is made. */
  readonly order: number;
  /** The field that ends here. */
  field?: string;
  /** By their keys, as JSON writes them. */
  readonly members: Map<string, Wanted>;
}

const MAX_NAME_CHARACTERS = 80;

/**
 * The same records with only these fields, in their order, each value as it is written: `user.name` is a name of a
 * record, and a path into it, also through arrays.
 *
 * @throws {@link GuestFault} at the end when there were records and none had one of the fields.
 */
export function* pickedTexts(
  blocks: Iterable<readonly string[]>,
  names: readonly string[],
): Generator<readonly string[], void> {
  const root: Wanted = { order: 0, members: new Map() };
  for (const name of names) {
    memberAt(root, [name]).field = name;
    memberAt(root, name.split(".")).field = name;
  }
  const found = new Set<string>();
  let hasRecords = false;

  /** The wanted members of an object; every other value is whole. */
  function picked(json: string, wanted: Wanted): string {
    if (!json.startsWith("{")) return json;
    const members = membersOf(json, { start: 0, end: json.length });
    // What is damaged is left to the parser in the guest, which says so.
    if (json.slice(members.at(-1)?.[1].end ?? 1).trim() !== "}") return json;
    const kept: string[] = [];
    for (const [name, place] of members) {
      const key = name.includes("\\") ? JSON.stringify(JSON.parse(name)) : name;
      const member = wanted.members.get(key);
      const value = member && pickedValue(textAt(json, place), member);
      if (member !== undefined && value !== undefined) kept[member.order] = `${name}:${value}`;
    }
    return `{${Object.values(kept).join(",")}}`;
  }

  /** What is wanted of a value; `undefined` when a path leads through it and it has no members. */
  function pickedValue(json: string, wanted: Wanted): string | undefined {
    const isPath = wanted.members.size > 0;
    const items = isPath ? elementTexts(json, { start: 0, end: json.length }) : undefined;
    const within = items
      ? `[${items.map((item) => picked(item, wanted)).join(",")}]`
      : isPath && json.startsWith("{")
        ? picked(json, wanted)
        : undefined;
    if (wanted.field === undefined) return within;
    found.add(wanted.field);
    return json;
  }

  for (const texts of blocks) {
    hasRecords ||= texts.length > 0;
    yield texts.map((text) => picked(text.trim(), root));
  }
  const missing = hasRecords ? names.find((name) => !found.has(name)) : undefined;
  if (missing === undefined) return;
  throw new GuestFault(
    `no record has the field ${JSON.stringify(shorten(missing, MAX_NAME_CHARACTERS))}`,
  );
}

function memberAt(root: Wanted, path: readonly string[]): Wanted {
  let at = root;
  for (const key of path) {
    const { members } = at;
    const next = members.get(JSON.stringify(key)) ?? { order: members.size, members: new Map() };
    members.set(JSON.stringify(key), next);
    at = next;
  }
  return at;
}
