import { nextPageTruth } from "../truths/pages.js";
import {
  bytesTruth,
  countTruth,
  keysTruth,
  linesTruth,
  restTruth,
  schemaTruth,
  setTruth,
  valueCountTruth,
} from "../truths/records.js";
import { outlinedTruth } from "../truths/shapes.js";
import { beginsTruth, endsTruth, mentionsTruth } from "../truths/texts.js";
import { fieldClaims } from "./fields.js";
import { outlineClaims } from "./outline.js";
import { type Claim, notChecked, notUnderstood, textOf } from "./scanner.js";

type Json = Readonly<Record<string, unknown>>;

/** Members that say nothing of the data: where it is, what it cost, how it is asked. */
const NO_CLAIMS: ReadonlySet<string> = new Set(
  "offloaded estimated_tokens operation kind title file_path jq_recipes guidance detail score_range artifact_id how_to_access mode path tool".split(
    " ",
  ),
);

/** The claims of a descriptor of any form. What is not read is a claim that is not understood. */
export function claimsOf(descriptor: string): readonly Claim[] {
  const { summary = {}, file_ref: fileRef, ...rest } = JSON.parse(descriptor) as Json;
  const { summary: inner = {}, fields, ...file } = (fileRef ?? {}) as Json;
  const kind = textOf((summary as Json)["kind"] ?? "");
  const context = { kind, isSample: rest["shape_is"] !== undefined };
  const members = { ...(summary as Json), ...file, ...(inner as Json), ...rest };
  const claims = Object.entries(members).flatMap(([key, value]) => claimsIn(key, value, context));
  if (!Array.isArray(fields)) return claims;
  const keys = fields.map(textOf).filter((key) => !key.startsWith("…"));
  const ofFields: Claim = {
    said: `fields ${fields.join(", ")}`,
    truth: (evidence) => keysTruth(keys, evidence),
  };
  return [...claims, ofFields];
}

interface Context {
  readonly kind: string;
  readonly isSample: boolean;
}

function claimsIn(key: string, value: unknown, { kind, isSample }: Context): readonly Claim[] {
  const said = `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  switch (key) {
    case "count":
    case "total_records":
      return [{ said, truth: (evidence) => countTruth(Number(value), evidence) }];
    case "size_bytes":
      return [{ said, truth: (evidence) => bytesTruth(Number(value), evidence) }];
    case "lines":
    case "line_count":
      return [{ said, truth: (evidence) => linesTruth(Number(value), evidence) }];
    case "records_at":
      return Array.isArray(value) ? value.map(setClaim) : [];
    case "records_by_path":
      return Object.entries(value as Json).map(([path, count]) => setClaim({ path, count }));
    case "rest":
      return Object.entries(value as Json).map(restClaim);
    case "complete":
      // What leads to the next page is a claim of its own.
      return [{ said, truth: () => undefined }];
    case "next_page": {
      const { cursor_at: at, cursor } = value as Json;
      const path = textOf(at);
      return [
        {
          said: `next page at ${path}: ${textOf(cursor)}`,
          truth: (evidence) => nextPageTruth(path, cursor, evidence),
        },
      ];
    }
    case "looked_at":
      return sampleClaims(value);
    case "line_schema":
      return schemaClaims(value);
    case "outline":
      return outlineClaims(value as readonly string[], kind);
    case "preview":
      return [{ said: key, truth: (evidence) => beginsTruth(textOf(value), evidence) }];
    case "preview_end":
      return [{ said: key, truth: (evidence) => endsTruth(textOf(value), evidence) }];
    case "shape":
      return [
        {
          said: `shape ${JSON.stringify(value)}`,
          truth: (evidence) => outlinedTruth(value, isSample, evidence),
        },
      ];
    case "shape_is":
    case "fields_are":
      return [];
    case "top_namespaces":
      return (value as readonly string[]).map((text) => ({
        said: `namespace ${text}`,
        truth: (evidence) => mentionsTruth(text, evidence),
      }));
    default:
      if (NO_CLAIMS.has(key)) return [];
      if (key.endsWith("_count"))
        return [
          {
            said: `a field: ${key.slice(0, -"_count".length)} ×${String(value)}`,
            truth: (evidence) =>
              valueCountTruth(key.slice(0, -"_count".length), Number(value), evidence),
          },
        ];
      return [notUnderstood(said)];
  }
}

/** A set as an object, or how many more there are. */
function setClaim(told: unknown): Claim {
  if (typeof told === "string")
    return (/^and \d+ more$/.test(told) ? notChecked : notUnderstood)(`records_at ${told}`);
  const { path: at, count, lines } = told as Json;
  const path = textOf(at);
  const set = { path, count: Number(count), ...(lines !== undefined && { lines: textOf(lines) }) };
  return { said: `${path} ${String(count)} records`, truth: (evidence) => setTruth(set, evidence) };
}

function restClaim([path, value]: readonly [string, unknown]): Claim {
  if (path === "…") return notChecked(`rest ${textOf(value)}`);
  return {
    said: `rest ${path} ${JSON.stringify(value)}`,
    truth: (evidence) => restTruth(path, value, evidence),
  };
}

const SAMPLE = /^a sample of (\d+) of (\d+) records; line_schema describes only these$/;

function sampleClaims(value: unknown): readonly Claim[] {
  const texts = typeof value === "string" ? [value] : Object.values(value as Json).map(textOf);
  return texts.map((text) => {
    const [said, , of] = SAMPLE.exec(text) ?? [];
    if (said !== undefined) return { said, truth: (evidence) => countTruth(Number(of), evidence) };
    return notUnderstood(`looked_at ${text}`);
  });
}

/** A schema of JSON, the fields of one set, or those of several by their paths. */
function schemaClaims(schema: unknown): readonly Claim[] {
  if (typeof schema === "string") return fieldClaims(schema, "");
  const members = Object.entries(schema as Json);
  if (members.length === 0) return [];
  if (isJsonSchema(schema as Json))
    return [{ said: "line_schema", truth: (evidence) => schemaTruth(schema, evidence) }];
  const isOfSets = members.every(
    ([path, value]) => typeof value === "object" || path.startsWith("."),
  );
  if (!isOfSets) return fieldClaims(schema, "");
  return members.flatMap(([path, fields]) => fieldClaims(fields, path));
}

const JSON_TYPE = /^(?:object|array|string|integer|number|boolean|null)$/;

function isJsonSchema(schema: Json): boolean {
  const { type, $comment: comment, ...rest } = schema;
  const isType = Array.isArray(type) || JSON_TYPE.test(textOf(type));
  return (
    comment !== undefined ||
    (isType && Object.values(rest).every((value) => typeof value === "object"))
  );
}
