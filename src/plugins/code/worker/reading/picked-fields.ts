import { isRecord } from "../../../../util/is-record.js";
import { shorten } from "../../../../util/safe-text.js";
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
const MAX_NAME_CHARACTERS = 80;

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
  let total = 0;
  for (const batch of batches) {
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
  if (missing === undefined) return;
  throw new GuestFault(
    `no record has the field ${JSON.stringify(shorten(missing.name, MAX_NAME_CHARACTERS))}`,
  );
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
function recordsOf(content: Batch["content"]): readonly unknown[] {
  const isText = typeof content === "string";
  const text = isText ? content : new TextDecoder().decode(content);
  const records: unknown = JSON.parse(text);
  return Array.isArray(records) ? records : [];
}
