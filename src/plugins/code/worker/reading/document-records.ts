import { endOfValue } from "../../../../core/content/json/json-ends.js";
import { isRecord } from "../../../../util/is-record.js";
import type { CodeBody } from "../../request.js";
import type { Batch } from "./batches.js";
import { GuestFault } from "../ends.js";

type SetPlace = NonNullable<CodeBody["sets"]>[number];

const BATCH_RECORDS = 500;
/** Names in a message. */
const MAX_NAMED = 20;
const SPACE = /\s/;

/**
 * Which set of a document is meant: by its path (`orders`, `.data.items[]`), the last name of it, or its table in SQL.
 *
 * @param wanted - `undefined` for the only one.
 */
export function chooseSet(sets: readonly SetPlace[], wanted: string | undefined): SetPlace {
  const [first, ...others] = sets;
  if (wanted === undefined && first !== undefined && others.length === 0) return first;
  const name = wanted?.replace(/^\./, "").replace(/\[\]$/, "");
  const found =
    sets.find((set) => pathOf(set) === name) ??
    sets.find(({ table }) => table === name) ??
    sets.find(({ path }) => path.at(-1) === name);
  if (found !== undefined && name !== undefined) return found;
  const named = sets
    .slice(0, MAX_NAMED)
    .map((set) => `${JSON.stringify(pathOf(set))} (${set.count})`);
  const what =
    wanted === undefined
      ? "this document has several record sets"
      : `this document has no record set ${JSON.stringify(wanted.slice(0, 80))}`;
  const example = JSON.stringify(first === undefined ? "" : pathOf(first));
  throw new GuestFault(
    `${what}; name one: outputs.open(id, ${example}), or with fields outputs.open(id, ["a"], ${example}). There are ${named.join(", ")}`,
  );
}

/** The records of a set in a document that is held whole, as batches. */
export function* recordsAt(document: unknown, set: SetPlace): Generator<Batch, void> {
  let value = document;
  for (const key of set.path) value = isRecord(value) ? value[key] : undefined;
  if (Array.isArray(value)) yield* inBatches(value);
  else if (isRecord(value))
    yield* inBatches(Object.entries(value).map(([key, member]) => ({ key, value: member })));
}

/** The one list of a document for which no set is known. */
export function* onlyList(document: unknown): Generator<Batch, void> {
  const lists = isRecord(document) ? Object.values(document).filter(Array.isArray) : [];
  const [list, ...others] = Array.isArray(document) ? [document] : lists;
  if (list !== undefined && others.length === 0) return yield* inBatches(list);
  const keys = isRecord(document) ? Object.keys(document).slice(0, MAX_NAMED).join(", ") : "";
  throw new GuestFault(
    "this document is no list of records: outputs.read(id) gives all of it as a value" +
      (keys === "" ? "" : ` with the keys ${keys}`),
  );
}

/** Several JSON values on whatever lines they stand. */
export function* valuesIn(text: string): Generator<Batch, void> {
  let values: string[] = [];
  for (let at = 0; at < text.length;) {
    if (SPACE.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const end = Math.max(at + 1, endOfValue(text, at));
    values.push(text.slice(at, end));
    at = end;
    if (values.length === BATCH_RECORDS) {
      yield { content: `[${values.join(",")}]`, count: values.length };
      values = [];
    }
  }
  if (values.length > 0) yield { content: `[${values.join(",")}]`, count: values.length };
}

function* inBatches(list: readonly unknown[]): Generator<Batch, void> {
  for (let at = 0; at < list.length; at += BATCH_RECORDS) {
    const part = list.slice(at, at + BATCH_RECORDS);
    yield { content: JSON.stringify(part), count: part.length };
  }
}

function pathOf({ path }: SetPlace): string {
  return path.join(".");
}
