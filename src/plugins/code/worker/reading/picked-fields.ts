import {
  type JsonPlace,
  partsOf,
  placeAt,
  textAt,
} from "../../../../core/content/json/json-place.js";
import { shorten } from "../../../../util/safe-text.js";
import { GuestFault } from "../fault.js";

/** A member that is asked for, or that leads to one. */
interface Wanted {
  /** Where it stands among its siblings in what is made. */
  readonly order: number;
  /** The field that ends here. */
  field?: string;
  /** By their keys, as JSON writes them. */
  readonly members: Map<string, Wanted>;
}

const MAX_FIELDS = 200;
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
  if (names.length > MAX_FIELDS)
    throw new GuestFault(`outputs.open takes ${MAX_FIELDS} fields at most`);
  const root: Wanted = { order: 0, members: new Map() };
  for (const name of names) {
    memberAt(root, [name]).field = name;
    memberAt(root, name.split(".")).field = name;
  }
  const found = new Set<string>();
  let hasRecords = false;
  for (const texts of blocks) {
    hasRecords ||= texts.length > 0;
    yield texts.map((text) => {
      const place = placeAt(text, []);
      return place === undefined ? text : picked(text, place, root, found);
    });
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

/** The wanted members of an object; every other value is whole. */
function picked(json: string, place: JsonPlace, wanted: Wanted, found: Set<string>): string {
  if (json[place.start] !== "{") return textAt(json, place);
  const parts = partsOf(json, place);
  const kept: string[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key, value] = parts.slice(index, index + 2);
    if (key === undefined || value === undefined) break;
    const name = textAt(json, key);
    const member = wanted.members.get(
      name.includes("\\") ? JSON.stringify(JSON.parse(name)) : name,
    );
    const text = member && valueOf(json, value, member, found);
    if (member !== undefined && text !== undefined) kept[member.order] = `${name}:${text}`;
  }
  return `{${Object.values(kept).join(",")}}`;
}

function valueOf(
  json: string,
  place: JsonPlace,
  wanted: Wanted,
  found: Set<string>,
): string | undefined {
  const within = wanted.members.size === 0 ? undefined : pickedWithin(json, place, wanted, found);
  if (wanted.field === undefined) return within;
  found.add(wanted.field);
  return textAt(json, place);
}

/** Of what a path leads through; `undefined` of a value that has no members. */
function pickedWithin(
  json: string,
  place: JsonPlace,
  wanted: Wanted,
  found: Set<string>,
): string | undefined {
  if (json[place.start] === "{") return picked(json, place, wanted, found);
  if (json[place.start] !== "[") return undefined;
  return `[${partsOf(json, place)
    .map((item) => picked(json, item, wanted, found))
    .join(",")}]`;
}
