import { isRecord } from "../../../../util/is-record.js";
import { nearestNames } from "../../../../util/nearest-names.js";
import type { Batch } from "./batches.js";
import { GuestFault } from "../ends.js";
import { fieldsOfLines } from "./fields-of-lines.js";

/** A field that is asked for: a name of the records, or a path into them. */
interface Field {
  readonly name: string;
  readonly path: readonly string[];
  found: boolean;
}

const MAX_FIELDS = 200;
/** Names that a message lists. */
const MAX_NAMED = 30;
/** Names of fields that are remembered, to name the nearest. */
const MAX_REMEMBERED = 500;

/**
 * The same batches with only these fields of the records, in their order: `user.name` is a path, also through arrays,
 * unless a record has a field of this name.
 *
 * @throws {@link GuestFault} at the end when there were records and none had one of the fields.
 */
export function* pickedBatches(
  batches: Iterable<Batch>,
  names: readonly string[],
): Generator<Batch, void> {
  if (names.length > MAX_FIELDS)
    throw new GuestFault(
      `outputs.open takes ${MAX_FIELDS} fields at most; leave them out to get all`,
    );
  const fields = names.map((name): Field => ({ name, path: name.split("."), found: false }));
  const fromLines = fieldsOfLines(names);
  let first: Batch["content"] | undefined;
  let total = 0;
  for (const batch of batches) {
    first ??= batch.content;
    const picked = batch.lines && fromLines?.(batch.lines);
    if (picked !== undefined) {
      for (const [index, field] of fields.entries()) field.found ||= picked.found[index] === true;
      total += picked.count;
      yield picked;
      continue;
    }
    const records = recordsOf(batch.content);
    total += records.length;
    yield {
      content: JSON.stringify(records.map((record) => pick(record, fields))),
      count: batch.count,
      parsedFrom: batch.content,
    };
  }
  const missing = total > 0 ? fields.find(({ found }) => !found) : undefined;
  if (missing === undefined || first === undefined) return;
  throw new GuestFault(noField(missing.name, [...fieldsIn(recordsOf(first))]));
}

function pick(record: unknown, fields: readonly Field[]): unknown {
  if (!isRecord(record)) return record;
  const picked: Record<string, unknown> = Object.create(null);
  for (const field of fields) {
    if (Object.hasOwn(record, field.name)) {
      picked[field.name] = record[field.name];
      field.found = true;
    } else if (field.path.length > 1 && put(record, picked, field.path, 0)) field.found = true;
  }
  return picked;
}

/** Puts what stands at a path into a copy of what is around it. */
function put(
  from: Record<string, unknown>,
  into: Record<string, unknown>,
  path: readonly string[],
  depth: number,
): boolean {
  const key = path[depth] ?? "";
  if (!Object.hasOwn(from, key)) return false;
  const value = from[key];
  if (depth === path.length - 1) {
    into[key] = value;
    return true;
  }
  if (Array.isArray(value)) {
    const before: unknown = into[key];
    const copies: unknown[] = Array.isArray(before)
      ? before
      : value.map((item: unknown) => (isRecord(item) ? Object.create(null) : item));
    into[key] = copies;
    let found = false;
    for (const [index, item] of value.entries()) {
      const copy = copies[index];
      if (isRecord(item) && isRecord(copy)) found = put(item, copy, path, depth + 1) || found;
    }
    return found;
  }
  if (!isRecord(value)) return false;
  const before = into[key];
  // A whole value that another field has picked stays whole.
  if (before === value) return Object.hasOwn(value, path[depth + 1] ?? "");
  const copy: Record<string, unknown> = isRecord(before) ? before : Object.create(null);
  into[key] = copy;
  return put(value, copy, path, depth + 1);
}

/** The records of a batch. */
export function recordsOf(content: Batch["content"]): readonly unknown[] {
  const isText = typeof content === "string";
  const text = isText ? content : new TextDecoder().decode(content);
  const records: unknown = JSON.parse(text);
  return Array.isArray(records) ? records : [];
}

/** Names of fields in the first records, those of objects in them by their path. */
export function fieldsIn(
  records: readonly unknown[],
  names: Set<string> = new Set(),
): ReadonlySet<string> {
  for (const record of records.slice(0, 100)) {
    if (!isRecord(record) || names.size >= MAX_REMEMBERED) continue;
    for (const [name, value] of Object.entries(record)) {
      names.add(name);
      if (isRecord(value)) for (const inner of Object.keys(value)) names.add(`${name}.${inner}`);
    }
  }
  return names;
}

/** That a field is not there, and which are meant or are. */
function noField(name: string, there: readonly string[]): string {
  const shown = JSON.stringify(name.slice(0, 80));
  const near = nearestNames(name, there);
  const known = (near.length > 0 ? near : there.slice(0, MAX_NAMED)).map((one) => one.slice(0, 80));
  const meant = near.length > 0 ? "did you mean" : "there are";
  return (
    `no record has the field ${shown}` + (known.length > 0 ? `; ${meant} ${known.join(", ")}` : "")
  );
}
