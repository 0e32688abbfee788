import { type JsonMember, membersIn } from "../content/json/json-members.js";
import type { Content, RecordSet } from "../types/content.js";
import { ANY_KEY, commonKeys, fieldName, keyInName, type Place } from "./place.js";
import { MAX_EXACT_BYTES, profileRecords, type RecordProfile } from "./profile.js";

/** What is known of an output's records. */
export interface ContentProfile extends RecordProfile {
  /** Of a document with several sets, of which this is the largest. */
  readonly document?: DocumentProfile | undefined;
}

/** What is known of a document with several sets. */
export interface DocumentProfile {
  /** Of its first sets, in their order: at most eight. */
  readonly sets: readonly RecordProfile[];
  /** What the document has beside all its sets, in its order; `undefined` where that is more than 1 MiB. */
  readonly rest: readonly JsonMember[] | undefined;
}

/** Sets that are looked into. */
const MAX_SETS = 8;
/** Names of fields, and as many keys of maps, that are kept of one set. */
const MAX_NAMES = 400;
/**
 * The profile of an output's records; of several sets that of the largest, with those of up to seven more beside it.
 * Never throws.
 */
export async function profileContent(content: Content): Promise<ContentProfile> {
  const { sets } = content;
  if (sets === undefined) return await profileRecords(content);
  const profiles: RecordProfile[] = [];
  let exactBytes = MAX_EXACT_BYTES;
  for (const set of sets.slice(0, MAX_SETS)) {
    const { lines } = set;
    const body = lines === undefined ? content.body : content.body.subarray(lines.start, lines.end);
    const profile = await profileRecords({ ...content, body, records: set }, exactBytes);
    if (lines !== undefined && profile.complete) exactBytes -= body.length;
    profiles.push(profile);
  }
  const main = profiles[0] ?? (await profileRecords(content));
  return { ...main, document: { sets: profiles, rest: restOf(sets) } };
}

/** Whether a document has anything beside its sets. */
export function hasRest(document: DocumentProfile | undefined): boolean {
  return document !== undefined && document.rest?.length !== 0;
}

/** Names of all fields that a filter may use, from what it runs on; those of the largest set first. */
export function fieldNames(
  { fields, root, document }: ContentProfile,
  { sets = [] }: Content,
): string[] {
  if (document === undefined) return namesOf(fields, root);
  const ofSets = document.sets.flatMap((set, index) =>
    namesOf(set.fields, set.root).map((name) => `${fieldName(sets[index]?.path ?? [])}[].${name}`),
  );
  const ofPaths = [...sets, ...(document.rest ?? [])].map(({ path }) => fieldName(path));
  return [...new Set([...ofPaths, ...ofSets])];
}

const below = (at: string, key: string): string => (at === "" ? key : `${at}.${key}`);

/** Names of fields, and what a filter may find below them: fields in lists and maps, and the keys of these. */
function namesOf(fields: readonly Place[], root: Place): string[] {
  const inside: string[] = [];
  const keys: string[] = [];
  const visit = (place: Place, at: string, isInside: boolean): void => {
    for (const field of place.fields) {
      const name = below(at, keyInName(field.key));
      if (isInside) inside.push(name);
      visit(field, name, isInside);
    }
    if (place.items !== undefined) visit(place.items, `${at}[]`, true);
    if (place.members === undefined) return;
    keys.push(...commonKeys(place).slice(0, MAX_NAMES).map(keyInName));
    visit(place.members, below(at, ANY_KEY), true);
  };
  visit(root, "", false);
  const names = [...fields.slice(0, MAX_NAMES).map(({ name }) => name), ...inside];
  return [...new Set([...names, ...keys])].slice(0, 2 * MAX_NAMES);
}

/** What a document has beside its sets; `undefined` where that is more than 1 MiB. */
export function restOf(
  sets: readonly Pick<RecordSet, "path" | "envelope">[],
): DocumentProfile["rest"] {
  const paths = sets.map(({ path }) => path);
  const leads = (path: readonly string[]): boolean =>
    paths.some((to) => to.length > path.length && path.every((key, at) => key === to[at]));
  const isSet = (path: readonly string[]): boolean =>
    paths.some((to) => to.length === path.length && path.every((key, at) => key === to[at]));
  return membersIn(sets[0]?.envelope ?? "{}", leads)?.filter(({ path }) => !isSet(path));
}
