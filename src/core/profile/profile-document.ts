import { type RestMember, restOf } from "../content/json/json-members.js";
import { type Content, documentSets, setsOf } from "../types/content.js";
import { jqKey, jqPath, setPath } from "../content/json/sets/set-names.js";
import { commonKeys, type Place } from "./place.js";
import { MAX_EXACT_BYTES, profileRecords, type RecordProfile } from "./profile.js";

/** The profile of an output's records; with several sets, of the largest. */
export interface ContentProfile extends RecordProfile {
  /** Profiles of at most the first eight sets. */
  readonly sets?: readonly RecordProfile[] | undefined;
  /** What the document has beside its records; `undefined` if that is more than 256 KiB. */
  readonly rest: readonly RestMember[] | undefined;
}

const MAX_SETS = 8;
const MAX_NAMES = 400;
/** Never throws. */
export async function profileContent(content: Content): Promise<ContentProfile> {
  const sets = documentSets(content);
  const rest = restOf(setsOf(content));
  if (sets === undefined) return { ...(await profileRecords(content)), rest };
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
  return { ...main, sets: profiles, rest };
}

export function profilesOf(profile: ContentProfile | undefined): readonly RecordProfile[] {
  return profile?.sets ?? (profile === undefined ? [] : [profile]);
}

/** As jq takes them: of the records, or with several sets of the document. */
export function fieldNames(profile: ContentProfile, content: Content): string[] {
  if (profile.sets === undefined) return namesOf(profile.root);
  const sets = setsOf(content);
  const ofSets = profile.sets.flatMap((set, index) =>
    namesOf(set.root).map((name) => `${setPath(sets[index] ?? { path: [] })}[].${name}`),
  );
  const ofPaths = [...sets, ...(profile.rest ?? [])].map(({ path }) => jqPath(path));
  return [...new Set([...ofPaths, ...ofSets])];
}

const below = (at: string, key: string) => (at === "" ? "" : `${at}.`) + jqKey(key);

/** Those of maps last. */
function namesOf(root: Place): string[] {
  const names: string[] = [];
  const keys: string[] = [];
  const visit = (place: Place, at: string) => {
    for (const field of place.fields) {
      names.push(below(at, field.key));
      visit(field, below(at, field.key));
    }
    for (const each of [place.items, place.members]) if (each) visit(each, `${at}[]`);
    for (const key of commonKeys(place).slice(0, MAX_NAMES)) keys.push(below(at, key));
  };
  visit(root, "");
  return [...new Set([...names, ...keys])].slice(0, 2 * MAX_NAMES);
}
