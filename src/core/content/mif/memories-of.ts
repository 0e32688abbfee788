import { type Content, oneSet, type RecordSet } from "../../types/content.js";
import { fieldOf } from "../../../util/field-of.js";
import { inSlices } from "../../../util/slices.js";
import { asBuffer } from "../../../util/text-encoding.js";
import { createRecordOffsets, createLineReader, noteRecord } from "../record-offsets.js";
import { isMemory } from "./memory-schema.js";
import { membersOf, placeAt, textAt } from "../json/json-text.js";

interface ScoredMemories {
  readonly content: Content;
  readonly scoreRange: readonly [number, number] | undefined;
}

interface Hit {
  readonly line: string;
  readonly memory: unknown;
  readonly score: number | undefined;
}

/** In UTF-16 units: a few milliseconds. */
const MAX_RECORD_CHARACTERS = 262_144;
const HIT_KEYS: ReadonlySet<string> = new Set(["memory", "score"]);

/**
 * Removes the scores of search hits, which the LRO specification never writes: `{"memory": {…}, "score": n}` becomes
 * its memory, and memories lose their `score`. All records need an `id`, and half must be memories. `undefined` for
 * anything else. Never throws.
 */
export async function memoriesOf(content: Content): Promise<ScoredMemories | undefined> {
  const records = oneSet(content);
  if (content.layout !== "records" || records === undefined || records.count === 0)
    return undefined;
  if (readHit(records.at(0)) === undefined || !asBuffer(content.body).includes('"score":'))
    return undefined;
  const body = Buffer.allocUnsafe(content.body.length);
  const offsets = createRecordOffsets();
  const tally = { hits: 0, memories: 0, typed: 0, min: Infinity, max: -Infinity };
  let byteLength = 0;
  await inSlices(hitsIn(records), ({ line, memory, score }) => {
    if (isMemory(memory)) tally.memories += 1;
    if (typeof fieldOf(memory, "memory_type") === "string") tally.typed += 1;
    if (score !== undefined) {
      tally.min = Math.min(tally.min, score);
      tally.max = Math.max(tally.max, score);
    }
    noteRecord(offsets, tally.hits, byteLength);
    tally.hits += 1;
    byteLength += body.write(`${line}\n`, byteLength);
  });
  if (tally.hits < records.count) return undefined;
  // Scores are lost, so the data must surely be MIF.
  if (2 * tally.memories < records.count || tally.typed === 0) return undefined;
  const written = body.subarray(0, byteLength);
  const at = createLineReader(written, records.count, offsets);
  return {
    content: { ...content, body: written, records: { ...records, at } },
    scoreRange: tally.min <= tally.max ? [tally.min, tally.max] : undefined,
  };
}

/** Up to the first record that is none. */
function* hitsIn(records: RecordSet): Generator<Hit> {
  for (let index = 0; index < records.count; index += 1) {
    const hit = readHit(records.at(index));
    if (hit === undefined) return;
    yield hit;
  }
}

function readHit(record: string): Hit | undefined {
  if (record.length > MAX_RECORD_CHARACTERS) return undefined;
  const value: unknown = JSON.parse(record);
  const inner = fieldOf(value, "memory");
  if (inner !== undefined && Object.keys(Object(value)).some((key) => !HIT_KEYS.has(key)))
    return undefined;
  const memory = inner ?? value;
  const scores = [value, memory].map((holder) => fieldOf(holder, "score") ?? null);
  const place = placeAt(record, inner === undefined ? [] : ["memory"]);
  if (place === undefined || typeof fieldOf(memory, "id") !== "string" || !scores.every(isScore))
    return undefined;
  const members = membersOf(record, place);
  const kept = members.filter(([key]) => JSON.parse(key) !== "score");
  const line =
    kept.length < members.length
      ? `{${kept.map(([key, own]) => `${key}:${textAt(record, own)}`).join(",")}}`
      : textAt(record, place);
  return { line, memory, score: scores.find((score) => score !== null) };
}

function isScore(score: unknown): score is number | null {
  return score === null || Number.isFinite(score);
}
