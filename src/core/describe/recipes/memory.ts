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

function fieldOf({ root }: RecordProfile, name: string): Place | undefined {
  return root.fields.find(({ key }) => key === name);
}

/**
 * Whether the records are MIF memories: objects that all have an `id`, at least half a `title` or a
 * `content`, and at least half a `namespace` or a `memory_type`, each a string or `null`.
 */
export function isMemorySet(profile: RecordProfile): boolean {
  const { count, objects } = profile.root;
  if (count === 0 || objects < count || fieldOf(profile, "id")?.strings !== count) return false;
  const covers = (...names: readonly string[]): boolean => {
    const fields = names.flatMap((name) => fieldOf(profile, name) ?? []);
    const areTexts = fields.every((field) => field.strings + field.nulls === field.count);
    return areTexts && fields.some((field) => 2 * field.count >= count);
  };
  return covers("title", "content") && covers("namespace", "memory_type");
}

/**
 * The detail level that memories were serialized at: the call's `detail` when it is `light`, `medium` or
 * `full`, otherwise `medium` for `inject` and `light` for `recall`, `list` and `search`. Memories of any
 * other operation are taken at the level that their fields show. `full` for data that is not MIF.
 */
export function detailOf({
  operation,
  args,
  profile,
}: {
  readonly operation: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly profile: RecordProfile | undefined;
}): DetailLevel {
  if (profile === undefined || !isMemorySet(profile)) return "full";
  const named = args?.["detail"];
  if (named === "light" || named === "medium" || named === "full") return named;
  if (Object.hasOwn(DETAIL_OF_OPERATION, operation)) {
    return DETAIL_OF_OPERATION[operation] ?? "light";
  }
  if (fieldOf(profile, "provenance") !== undefined) return "full";
  return (fieldOf(profile, "content")?.characters ?? 0) > 0 ? "medium" : "light";
}

/** The `schema_version` of stored MIF memories: the version whose fields the LRO specification lists. */
export const MEMORY_SCHEMA_VERSION = "0.1.0";
