import type { DetailLevel } from "../../types/artifact.js";
import type { RecordProfile } from "../../profile/profile.js";
import type { Place } from "../../profile/place.js";

/** Detail level of an operation whose call names none. */
const DETAIL_OF_OPERATION: Readonly<Record<string, DetailLevel>> = {
  recall: "light",
  inject: "medium",
  list: "light",
  search: "light",
};

function topLevel(profile: RecordProfile, name: string): Place | undefined {
  return profile.fields.find((field) => field.path.length === 1 && field.name === name);
}

function holdsStrings(field: Place | undefined): field is Place {
  return field !== undefined && field.types.every((type) => type === "string" || type === "null");
}

/**
 * Whether the records are MIF memories: objects that all have an `id`, at least half a `title` or a
 * `content`, and at least half a `namespace` or a `memory_type`, each a string or `null`.
 */
export function isMemorySet(profile: RecordProfile): boolean {
  const { count, types } = profile.root;
  if (count === 0 || types.length !== 1 || types[0] !== "object") return false;
  const id = topLevel(profile, "id");
  if (id === undefined || id.types.join() !== "string" || id.count !== count) return false;
  const covers = (...names: readonly string[]): boolean => {
    const fields = names.map((name) => topLevel(profile, name)).filter((field) => !!field);
    return fields.every(holdsStrings) && fields.some((field) => 2 * field.count >= count);
  };
  return covers("title", "content") && covers("namespace", "memory_type");
}

/** What the detail level of an output is read from. */
export interface DetailInput {
  readonly operation: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly profile: RecordProfile | undefined;
}

/**
 * The detail level that memories were serialized at: the call's `detail` when it is `light`, `medium` or
 * `full`, otherwise `medium` for `inject` and `light` for `recall`, `list` and `search`. Memories of any
 * other operation are taken at the level that their fields show. `full` for data that is not MIF.
 */
export function detailOf({ operation, args, profile }: DetailInput): DetailLevel {
  if (profile === undefined || !isMemorySet(profile)) return "full";
  const named = args?.["detail"];
  if (named === "light" || named === "medium" || named === "full") return named;
  if (Object.hasOwn(DETAIL_OF_OPERATION, operation)) {
    return DETAIL_OF_OPERATION[operation] ?? "light";
  }
  if (topLevel(profile, "provenance") !== undefined) return "full";
  const content = topLevel(profile, "content");
  return content !== undefined && content.meanCharacters > 0 ? "medium" : "light";
}

/**
 * What the header line of stored MIF memories says as their `schema_version`: the version whose fields the
 * LRO specification lists.
 */
export const MEMORY_SCHEMA_VERSION = "0.1.0";
