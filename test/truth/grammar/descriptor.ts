import type { Claim } from "../claim.js";
import { fieldClaims } from "./fields.js";
import { outlineClaims } from "./outline.js";
import { textOf } from "./scanner.js";

type Json = Readonly<Record<string, unknown>>;

/** Members that say nothing of the data: where it is, what it cost, how it is asked. */
const NO_CLAIMS: ReadonlySet<string> = new Set(
  "offloaded estimated_tokens operation kind title file_path jq_recipes guidance detail score_range derived_from artifact_id how_to_access mode path tool".split(
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
  return [
    ...Object.entries(members).flatMap(([key, value]) => claimsIn(key, value, context)),
    ...(Array.isArray(fields)
      ? [
          {
            kind: "keys",
            said: `fields ${fields.join(", ")}`,
            keys: fields.map(textOf).filter((key) => !key.startsWith("…")),
          } as const,
        ]
      : []),
  ];
}

interface Context {
  readonly kind: string;
  readonly isSample: boolean;
}

function claimsIn(key: string, value: unknown, context: Context): readonly Claim[] {
  const said = `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`;
  switch (key) {
    case "count":
    case "total_records":
      return [{ kind: "count", said, value: Number(value) }];
    case "size_bytes":
      return [{ kind: "bytes", said, value: Number(value) }];
    case "lines":
    case "line_count":
      return [{ kind: "lines", said, value: Number(value) }];
    case "records_at":
      return setClaims(value);
    case "records_by_path":
      return Object.entries(value as Json).map(([path, count]) => ({
        kind: "set",
        said: `${path} ${String(count)} records`,
        path,
        count: Number(count),
      }));
    case "rest":
      return restClaims(value as Json);
    case "complete":
      return [{ kind: "incomplete", said }];
    case "next_page": {
      const { cursor_at: path, cursor } = value as Json;
      return [
        {
          kind: "next-page",
          said: `next page at ${textOf(path)}: ${textOf(cursor)}`,
          path: textOf(path),
          cursor: cursor as string,
        },
      ];
    }
    case "looked_at":
      return sampleClaims(value);
    case "line_schema":
      return schemaClaims(value);
    case "outline":
      return outlineClaims(value as readonly string[], context.kind);
    case "preview":
      return [{ kind: "begins", said: "preview", text: textOf(value) }];
    case "preview_end":
      return [{ kind: "ends", said: "preview_end", text: textOf(value) }];
    case "shape":
      return [
        {
          kind: "outlined",
          said: `shape ${JSON.stringify(value)}`,
          shape: value,
          isSample: context.isSample,
        },
      ];
    case "shape_is":
      return [];
    case "top_namespaces":
      return (value as readonly string[]).map((text) => ({
        kind: "mentions",
        said: `namespace ${text}`,
        text,
      }));
    case "by_field":
      return Object.entries(value as Json).map(([field, counts]) =>
        valueCounts(field, counts as Json),
      );
    default:
      if (NO_CLAIMS.has(key)) return [];
      if (key.endsWith("_count"))
        return [valueCounts(undefined, { [key.slice(0, -"_count".length)]: value })];
      return [{ kind: "not-understood", said }];
  }
}

function valueCounts(field: string | undefined, counts: Json): Claim {
  const said = `${field ?? "a field"}: ${Object.entries(counts)
    .map(([value, count]) => `${value} ×${String(count)}`)
    .join(", ")}`;
  const pairs = Object.entries(counts).map(([value, count]) => [value, Number(count)] as const);
  return {
    kind: "value-counts",
    said,
    counts: new Map(pairs),
    ...(field !== undefined && { field }),
  };
}

function setClaims(value: unknown): readonly Claim[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((set: unknown): readonly Claim[] => {
    if (typeof set === "string") {
      const [, path = "", digits] = /^(.*) \((\d+)\)$/.exec(set) ?? [];
      if (digits !== undefined) return [{ kind: "set", said: set, path, count: Number(digits) }];
      return [
        {
          kind: /^and \d+ more$/.test(set) ? "not-checked" : "not-understood",
          said: `records_at ${set}`,
        },
      ];
    }
    const { path, count, lines } = set as Json;
    const said = `${textOf(path)} ${String(count)} records`;
    return [
      {
        kind: "set",
        said,
        path: textOf(path),
        count: Number(count),
        ...(lines !== undefined && { lines: textOf(lines) }),
      },
    ];
  });
}

function restClaims(rest: Json): readonly Claim[] {
  return Object.entries(rest).map(([path, value]) =>
    path === "…"
      ? { kind: "not-checked", said: `rest ${textOf(value)}` }
      : { kind: "rest", said: `rest ${path} ${JSON.stringify(value)}`, path, value },
  );
}

const SAMPLE = /^a sample of (\d+) of (\d+) records; line_schema describes only these$/;
const PARTS = /^the first 1000 (?:keys of each|items of each list)/;

function sampleClaims(value: unknown): readonly Claim[] {
  const texts = typeof value === "string" ? [value] : Object.values(value as Json).map(textOf);
  return texts.map((text) => {
    const [said, , of] = SAMPLE.exec(text) ?? [];
    if (said !== undefined) return { kind: "sampled-of", said, value: Number(of) };
    return { kind: PARTS.test(text) ? "not-checked" : "not-understood", said: `looked_at ${text}` };
  });
}

/** A schema of JSON, the fields of one set, or those of several by their paths. */
function schemaClaims(schema: unknown): readonly Claim[] {
  if (typeof schema === "string") return fieldClaims(schema, "");
  const members = Object.entries(schema as Json);
  if (members.length === 0) return [];
  if (isJsonSchema(schema as Json)) return [{ kind: "schema", said: "line_schema", value: schema }];
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
