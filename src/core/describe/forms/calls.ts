import { isOneValue } from "../../content/as-value.js";
import type { SetPlace } from "../../types/content.js";
import { safeJson } from "../../../util/safe-text.js";
import { jqPath, setPath } from "../../content/json/sets/set-names.js";
import { partsLookedAt } from "./line-schema.js";
import type { RecordProfile } from "../../profile/profile.js";
import { isCategory } from "../../profile/field-roles.js";
import { quotedName } from "../../profile/sql/names.js";
import type { FormInput } from "./form-input.js";

/** How a tool is called with all records, or with those of one set. */
interface Records {
  readonly jq: (filter: string) => string;
  readonly sql: (query: (table: string) => string) => string;
}

/** Longest name of a field that stands in a call. */
const MAX_NAME_CHARACTERS = 40;

function recordsOf({ content, tools, storedArtifact }: FormInput, set?: SetPlace): Records {
  const path = set ?? (isOneValue(storedArtifact) ? mapOrList(content) : undefined);
  return {
    jq: (filter) => {
      if (tools.jq === undefined) return "";
      if (path === undefined) {
        return `${tools.jq}(id=file_path, slurp=true, filter=${safeJson(filter)})`;
      }
      return `${tools.jq}(id=file_path, filter=${safeJson(`${setPath(path)} | ${filter}`)})`;
    },
    sql: (query) =>
      tools.sql === undefined
        ? ""
        : `${tools.sql}(id=file_path, query=${safeJson(query(set?.table ?? "output"))})`,
  };
}

function mapOrList({
  kind,
  records,
}: FormInput["content"]): Pick<SetPlace, "path" | "isMap"> | undefined {
  return records && { path: records.path, isMap: kind === "json-map" ? true : undefined };
}

/** The call that lists the fields of the records, or those in one of their fields. */
export function listingOf(input: FormInput, set?: SetPlace): (parent: readonly string[]) => string {
  const { jq, sql } = recordsOf(input, set);
  return (parent) => {
    const inside = parent.length === 0 ? "objects" : `${jqPath(parent)}? | objects`;
    const column = parent[0] === undefined ? "*" : quotedName(parent[0]);
    const call =
      jq(`map(${inside} | keys[]) | unique`) ||
      sql((table) => `SELECT ${column} FROM ${table} LIMIT 1`);
    return call === "" ? "" : `${call} lists them`;
  };
}

/** Of a sample how large it is, and what tells the whole; nothing where all was looked at. */
export function lookedAt(
  input: FormInput,
  profile: RecordProfile,
  set?: SetPlace,
): { readonly looked_at?: string } {
  const { sampledCount, recordCount } = profile;
  const parts = partsLookedAt(profile);
  if (sampledCount === recordCount)
    return parts.length === 0 ? {} : { looked_at: parts.join(", ") };
  const call = exactCall(input, profile, set);
  const sample = `~ is of ${sampledCount} of ${recordCount} records${call === "" ? "" : `; exact: ${call}`}`;
  return { looked_at: [sample, ...parts].join(", ") };
}

function isShort({ name, path }: RecordProfile["fields"][number]): boolean {
  return path.length === 1 && name.length <= MAX_NAME_CHARACTERS && /^\w+$/.test(name);
}

function exactCall(input: FormInput, profile: RecordProfile, set?: SetPlace): string {
  const short = profile.fields.filter(isShort);
  const { jq, sql } = recordsOf(input, set);
  const category = short.find((one) => isCategory(one));
  if (category !== undefined) {
    const path = jqPath(category.path);
    return (
      sql((table) => `SELECT ${quotedName(category.name)}, count(*) FROM ${table} GROUP BY 1`) ||
      jq(`map(objects) | group_by(${path}) | map([.[0]${path}, length])`)
    );
  }
  const field = short.find(
    ({ numberRange, datesSort, dateLike }) => numberRange || (dateLike && datesSort),
  );
  if (field === undefined) return "";
  const name = quotedName(field.name);
  // The records that nobody has looked at may have texts among numbers, and empty ones, the lowest of all, among dates.
  const [lowest, highest, cells] = field.numberRange
    ? [`TRY_CAST(${name} AS DOUBLE)`, `TRY_CAST(${name} AS DOUBLE)`, "numbers"]
    : [`nullif(${name}::VARCHAR, '')`, name, 'strings | select(. != "")'];
  return (
    sql((table) => `SELECT min(${lowest}), max(${highest}) FROM ${table}`) ||
    jq(`map(objects | ${jqPath(field.path)} | ${cells}) | [min, max]`)
  );
}
