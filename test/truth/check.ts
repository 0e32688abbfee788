import { Ajv } from "ajv";
import type { Claim, ClaimOf } from "./claim.js";
import type { Described, RawOutput } from "./describe-output.js";
import { claimsOf } from "./grammar/descriptor.js";
import {
  type Evidence,
  evidenceOf,
  isObject,
  memberOf,
  stepsOf,
  valuesAt,
} from "./truths/evidence.js";
import { fieldTruth, hiddenTruth } from "./truths/fields.js";
import { nextPageTruth } from "./truths/pages.js";
import { outlinedTruth, placeTruth } from "./truths/shapes.js";
import { textTruth } from "./truths/texts.js";
import { textOf } from "./grammar/scanner.js";

/** What was found of one descriptor. */
export interface Finding {
  readonly claims: number;
  /** Claims that are false, each with what is true. */
  readonly wrong: readonly { readonly said: string; readonly truth: string }[];
  /** Lines whose grammar is unknown. */
  readonly notUnderstood: readonly string[];
  /** Claims that are understood but not computed again. */
  readonly notChecked: readonly string[];
}

/** Computes each claim of a descriptor again from the raw output. */
export function check(output: RawOutput, described: Described): Finding {
  const claims = claimsOf(described.descriptor);
  const evidence = evidenceOf(output, described);
  const wrong = claims.flatMap((claim) => {
    const truth =
      claim.kind === "field" ? fieldTruth(claim, evidence) : truthOf(claim, evidence, claims);
    return truth === undefined ? [] : [{ said: claim.said, truth }];
  });
  const saidOf = (kind: Claim["kind"]): string[] =>
    claims.filter((claim) => claim.kind === kind).map(({ said }) => said);
  return {
    claims: claims.length,
    wrong,
    notUnderstood: saidOf("not-understood"),
    notChecked: saidOf("not-checked"),
  };
}

function truthOf(claim: Claim, evidence: Evidence, all: readonly Claim[]): string | undefined {
  const { stored, document } = evidence;
  switch (claim.kind) {
    case "bytes": {
      const { length } = new TextEncoder().encode(stored);
      return length === claim.value ? undefined : textOf(length);
    }
    case "lines": {
      const count = stored.split("\n").length - (stored.endsWith("\n") ? 1 : 0);
      return count === claim.value ? undefined : String(count);
    }
    case "count":
      return countTruth(claim.value, evidence);
    case "sampled-of":
      return countTruth(claim.value, evidence);
    case "set":
      return setTruth(claim, evidence);
    case "rest":
      return restTruth(claim, document);
    case "next-page":
      return nextPageTruth(claim, evidence);
    case "incomplete":
      // What leads to the next page is a claim of its own.
      return undefined;
    case "hidden-fields":
      return hiddenTruth(claim, evidence);
    case "schema":
      return schemaTruth(claim.value, evidence);
    case "keys":
      return keysTruth(claim.keys, evidence);
    case "value-counts":
      return valueCountsTruth(claim, evidence);
    case "place":
      return placeTruth(claim, evidence);
    case "outlined":
      return outlinedTruth(claim, evidence);
    default: {
      const truth = textTruth(claim, evidence, all);
      return truth === false ? undefined : truth;
    }
  }
}

/** All sets that records of a document could be in: one of them, or several together, have as many. */
function countTruth(count: number, evidence: Evidence): string | undefined {
  const own = evidence.recordsOf("");
  if (own?.length === count) return undefined;
  const sizes: number[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 8 || typeof value !== "object" || value === null) return;
    sizes.push(Object.keys(value).length);
    if (!Array.isArray(value)) for (const member of Object.values(value)) visit(member, depth + 1);
  };
  visit(evidence.document, 0);
  return isSumOfSome(sizes, count) ? undefined : `${own?.length} records`;
}

function isSumOfSome(sizes: readonly number[], wished: number): boolean {
  let sums = new Set([0]);
  for (const size of sizes
    .filter((one) => one <= wished)
    .toSorted((one, other) => other - one)
    .slice(0, 40)) {
    sums = new Set([...sums, ...[...sums].map((sum) => sum + size).filter((sum) => sum <= wished)]);
    if (sums.has(wished)) return true;
  }
  return false;
}

function setTruth({ path, count, lines }: ClaimOf<"set">, evidence: Evidence): string | undefined {
  const records = evidence.recordsOf(path) ?? evidence.recordsOf(`${path} | to_entries`);
  if (records?.length !== count) return `${records?.length} records`;
  if (lines === undefined) return undefined;
  const [first = 0, last = 0] = lines.split("-").map(Number);
  const own = evidence.stored
    .split("\n")
    .slice(first - 1, last)
    .map((line) => tryParse(line.trim().replace(/,$/, "")));
  const at = records.findIndex((record, index) => {
    const value = own[index];
    const isMember = path.endsWith("to_entries");
    return !isMember && JSON.stringify(value) !== JSON.stringify(record);
  });
  return own.length !== count || (at !== -1 && own[at] !== undefined)
    ? `record ${at} is not in line ${first + at}`
    : undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function restTruth({ path, value }: ClaimOf<"rest">, document: unknown): string | undefined {
  const [member] = valuesAt([document], stepsOf(path));
  if (member === undefined) return "nothing is there";
  if (JSON.stringify(value) === JSON.stringify(member)) return undefined;
  const [, kind, count, size = "", unit] =
    /^(list|object|string|number)(?: (?:of|with) (\d+)(?: keys?)?)?(?:, ([\d.]+) (B|kB))?$/.exec(
      textOf(value),
    ) ?? [];
  if (kind === undefined) return JSON.stringify(member).slice(0, 60);
  const own = Array.isArray(member) ? "list" : typeof member;
  if (
    own !== kind ||
    (count !== undefined && Object.keys(member as object).length !== Number(count))
  )
    return `${own} of ${Object.keys(member as object).length}`;
  // White space and escapes make it longer than it is written here.
  const least = new TextEncoder().encode(JSON.stringify(member)).length;
  return least <= Number(size) * (unit === "kB" ? 1_000 : 1) + 100 ? undefined : `${least} B`;
}

function schemaTruth(schema: unknown, evidence: Evidence): string | undefined {
  if (/^from \d/.test(textOf(memberOf(schema, "$comment")))) return undefined;
  const validate = new Ajv({ strict: false, allowUnionTypes: true, ownProperties: true }).compile(
    schema as object,
  );
  const odd = (evidence.recordsOf("") ?? []).findIndex((record) => !validate(record));
  return odd === -1
    ? undefined
    : `record ${odd} is otherwise: ${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}`;
}

/** Names that are keys of objects in the file. */
function keysTruth(
  keys: readonly string[],
  { document, isRows, stored }: Evidence,
): string | undefined {
  if (keys.length === 0) return undefined;
  const file = isRows ? document : (tryParse(stored) ?? stored.split("\n").map(tryParse));
  const known = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        known.add(key);
        visit(member);
      }
    }
  };
  visit(file);
  const missing = keys.find((key) => !key.endsWith("…") && !known.has(key));
  return missing === undefined ? undefined : `no ${missing} is there`;
}

function valueCountsTruth(
  { field, counts }: ClaimOf<"value-counts">,
  evidence: Evidence,
): string | undefined {
  const records = (evidence.recordsOf("") ?? []).map((record) =>
    isObject(record) && "value" in record && isObject(record["value"])
      ? { ...record["value"], ...record }
      : record,
  );
  const names =
    field === undefined
      ? new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record) : [])))
      : new Set([field]);
  const isTrue = [...names].some((name) =>
    [...counts].every(
      ([value, count]) =>
        records.filter((record) => textOf(memberOf(record, name)) === value).length === count,
    ),
  );
  return isTrue ? undefined : "no field has these";
}
