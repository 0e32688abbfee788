import { leavesOf, MAX_LEAVES } from "../../content/json/object-walk.js";
import type { Content, DocumentSet } from "../../types/content.js";
import { profileRecords, type RecordProfile } from "./profile.js";

/** What is known of an output's records. */
export interface ContentProfile extends RecordProfile {
  /** Of a document with several sets, of which this is the largest. */
  readonly document?: DocumentProfile | undefined;
}

/** What is known of a document with several sets. */
export interface DocumentProfile {
  /** Of its first sets, in their order: at most eight. */
  readonly sets: readonly RecordProfile[];
  /** What the document has beside all its sets, in its order. */
  readonly rest: readonly RestMember[];
  /** How many further members have a key that is too long to be named. */
  readonly unnamed: number;
  /** Whether it has more than these 4,096. */
  readonly hasMore: boolean;
}

/** A member of the document that is no set and leads to none. */
export interface RestMember {
  readonly path: readonly string[];
  readonly type: "object" | "array" | "string" | "number" | "boolean" | "null";
  /** Length of its JSON text. */
  readonly sizeBytes: number;
  /** Its JSON text where it has at most 80 characters. */
  readonly text?: string | undefined;
}

/** Sets that are looked into. */
const MAX_SETS = 8;
const MAX_TEXT_CHARACTERS = 80;
const TYPES: Readonly<Record<string, RestMember["type"]>> = {
  "{": "object",
  "[": "array",
  '"': "string",
  t: "boolean",
  f: "boolean",
  n: "null",
};

/**
 * The profile of an output's records; of several sets that of the largest, with those of up to seven more beside it.
 * Never throws.
 */
export async function profileContent(content: Content): Promise<ContentProfile> {
  const { sets } = content;
  if (sets === undefined) return await profileRecords(content);
  const profiles: RecordProfile[] = [];
  for (const set of sets.slice(0, MAX_SETS)) {
    const body = set.lines && content.body.subarray(set.lines.start, set.lines.end);
    profiles.push(await profileRecords({ ...content, body: body ?? content.body, records: set }));
  }
  const main = profiles[0] ?? (await profileRecords(content));
  const rest = await restOf(sets);
  return { ...main, document: { sets: profiles, ...rest } };
}

/** Whether a document has anything beside its sets. */
export function hasRest(document: DocumentProfile | undefined): boolean {
  return document !== undefined && document.rest.length + document.unnamed > 0;
}

/** Names of all fields that a filter may use, those of the largest set first. */
export function fieldNames({ fields, document }: ContentProfile, { sets = [] }: Content): string[] {
  if (document === undefined) return fields.map(({ name }) => name);
  const ofSets = document.sets.flatMap((set) => set.fields.map(({ name }) => name));
  const ofPaths = [...sets, ...document.rest].flatMap(({ path }) => path);
  return [...new Set([...ofPaths, ...ofSets])];
}

async function restOf(
  sets: readonly DocumentSet[],
): Promise<Pick<DocumentProfile, "rest" | "unnamed" | "hasMore">> {
  const paths = sets.map(({ path }) => path);
  const leads = (path: readonly string[]): boolean =>
    paths.some((to) => to.length > path.length && path.every((key, at) => key === to[at]));
  const isSet = (path: readonly string[]): boolean =>
    paths.some((to) => to.length === path.length && path.every((key, at) => key === to[at]));
  const envelope = Buffer.from(sets[0]?.envelope ?? "{}");
  let unnamed = 0;
  const leaves = await leavesOf(
    envelope,
    leads,
    (path) => !isSet(path),
    () => (unnamed += 1),
  );
  const rest = leaves.map(({ path, text, sizeBytes }) => {
    const type = TYPES[text[0] ?? ""] ?? "number";
    return { path, type, sizeBytes, ...(text.length <= MAX_TEXT_CHARACTERS && { text }) };
  });
  return { rest, unnamed, hasMore: rest.length === MAX_LEAVES };
}
