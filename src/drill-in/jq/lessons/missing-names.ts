import { keyInName } from "../../../describe/profile/field-name.js";
import { nearestNames } from "../../../util/nearest-names.js";
import { shorten } from "../../../util/safe-text.js";
import type { FilterPath } from "./filter-paths.js";
import { type Look, lookForFields, lookForNames, type MissingName, seesWhole } from "./look.js";
import { EACH, keysIn, pathText, type Step } from "./places.js";

type Field = readonly Step[];

const MAX_NEAREST = 3;
const MAX_LISTED = 12;
const MAX_KEY_CHARACTERS = 40;
const MAX_PATH_CHARACTERS = 120;

/** What is to be said of paths that are in no record: each in one sentence, with the fields that may be meant. */
export async function missingSentences(
  look: Look,
  missing: readonly FilterPath[],
): Promise<readonly string[]> {
  if (missing.length === 0) return [];
  const found = await lookForNames(look, missing);
  const fields = await lookForFields(look);
  const told = missing.flatMap((path, index) => {
    const sentence = sentenceOf(look, path, found?.[index], fields);
    return sentence === undefined ? [] : [{ path, sentence }];
  });
  // Of a path and one that goes on from it the longer one says where its field is.
  return told
    .filter(({ path }) => !told.some((other) => goesOnFrom(path, other.path)))
    .map(({ sentence }) => sentence);
}

function goesOnFrom({ steps }: FilterPath, longer: FilterPath): boolean {
  return (
    longer.isPlaced &&
    longer.steps.length > steps.length &&
    steps.every((step, at) => step === longer.steps[at])
  );
}

function sentenceOf(
  look: Look,
  path: FilterPath,
  found: MissingName | undefined,
  fields: readonly Field[],
): string | undefined {
  const isKnown = path.isPlaced && found !== undefined;
  const { above, name, keys } = isKnown ? found : unplaced(path);
  if (name === EACH) return undefined;
  const nothing = seesWhole(look.artifact, look.request) ? "Nothing in the document" : "No record";
  const lacks = `${nothing} has ${shown([...above, name])}`;
  const [dotted] = fields.filter((field) => isSameText(field, path));
  if (dotted !== undefined) {
    const isKey = keysIn(dotted).length < keysIn(path.steps).length;
    return `${lacks}; ${isKey ? "a key has the dot in it" : "the dot is between keys"}: write ${shown(dotted)}.`;
  }
  const same = fields.filter((field) => path.isPlaced && endsWith(field, path.names));
  const there = `${lacks} itself; there is ${listed(same, MAX_NEAREST)}.`;
  if (same.length > 0 && above.length === 0) return there;
  const beside = nearestNames(name, keys).map((near) => [...above, near]);
  if (same.length > 0 && beside.length === 0) return there;
  const near = beside.length > 0 ? beside : nearestFields(name, fields);
  if (near.length > 0) return `${lacks}; nearest: ${listed(near, MAX_NEAREST)}.`;
  if (keys.length === 0) return `${lacks}.`;
  const where = above.length === 0 ? "" : ` of ${shown(above)}`;
  return `${lacks}. Fields${where}: ${listed(
    keys.map((key) => [key]),
    MAX_LISTED,
    ([key]) => plain(keyInName(String(key)), MAX_KEY_CHARACTERS),
  )}.`;
}

/** Of a path that may begin anywhere: what it says itself. */
function unplaced({ steps }: FilterPath): MissingName {
  return { above: steps.slice(0, -1), name: steps.at(-1) ?? EACH, keys: [] };
}

/** Whether a field has the same names, but for a dot that stands within a key or between two. */
function isSameText(field: Field, { steps, isPlaced }: FilterPath): boolean {
  const [own, asked] = [keysIn(field), keysIn(steps)];
  if (own.length === asked.length) return false;
  const [there, written] = [own.join("."), asked.join(".")];
  return there === written || (!isPlaced && there.endsWith(`.${written}`));
}

function endsWith(field: Field, names: readonly string[]): boolean {
  const keys = keysIn(field).slice(-names.length);
  return (
    field.at(-1) !== EACH &&
    keys.every((key, at) => key === names[at]) &&
    keys.length === names.length
  );
}

/** Fields of nearly that name, wherever they are. */
function nearestFields(name: string, fields: readonly Field[]): readonly Field[] {
  const byName = new Map(fields.map((field) => [String(field.at(-1)), field] as const));
  return nearestNames(name, [...byName.keys()]).map((near) => byName.get(near) ?? []);
}

function listed(
  fields: readonly Field[],
  most: number,
  text: (field: Field) => string = shown,
): string {
  const names = fields.slice(0, most).map(text);
  return `${names.join(", ")}${fields.length > names.length ? " and more" : ""}`;
}

function shown(steps: Field): string {
  return plain(pathText(steps), MAX_PATH_CHARACTERS);
}

/** A name from the data, safe to stand in a sentence. */
function plain(name: string, maxCharacters: number): string {
  return shorten(name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?"), maxCharacters);
}
