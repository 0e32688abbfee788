import { type Content, oneSet, type RecordSet } from "../../types/content.js";
import { fieldOf } from "../../../util/field-of.js";
import { pause } from "../../../util/pause.js";
import { asBuffer } from "../../../util/text-encoding.js";
import { createRecordOffsets, createLineReader, noteRecord } from "../record-offsets.js";
import { isMemory } from "./memory-schema.js";
import { membersOf, textAt } from "../json/json-text.js";

export interface ScoredMemories {
  readonly content: Content;
  readonly scoreRange: readonly [number, number] | undefined;
}

interface Hit {
  readonly line: string;
  readonly memory: unknown;
  readonly score: number | undefined;
}

/** Limits of one block of a few milliseconds, in UTF-16 units and members. */
const MAX_RECORD_CHARACTERS = 2_097_152;
const MAX_MEMBERS = 1_000;
const HIT_KEYS: ReadonlySet<string> = new Set(["memory", "score"]);
const MAX_BLOCK_MS = 8;

/**
 * Removes the scores of search hits, which the LRO specification never writes: `{"memory": {…}, "score": n}` becomes
 * its memory, and memories lose their `score`. All records need an `id`, and half must be memories. `undefined` for
 * anything else. Never throws.
 */
export async function memoriesOf(content: Content): Promise<ScoredMemories | undefined> {
  const records = oneSet(content);
  if (content.layout !== "records" || records === undefined || !mayBeHits(content, records)) {
    return undefined;
  }
  const body = Buffer.allocUnsafe(content.body.length);
  const offsets = createRecordOffsets();
  const tally = { memories: 0, typed: 0, min: Infinity, max: -Infinity };
  let byteLength = 0;
  let blockStart = performance.now();
  for (let index = 0; index < records.count; index += 1) {
    const hit = readHit(records.at(index));
    if (hit === undefined) return undefined;
    const { line, memory, score } = hit;
    if (isMemory(memory)) tally.memories += 1;
    if (typeof fieldOf(memory, "memory_type") === "string") tally.typed += 1;
    if (score !== undefined) {
      tally.min = Math.min(tally.min, score);
      tally.max = Math.max(tally.max, score);
    }
    noteRecord(offsets, index, byteLength);
    byteLength += body.write(`${line}\n`, byteLength, "utf8");
    if (performance.now() - blockStart > MAX_BLOCK_MS) {
      await pause();
      blockStart = performance.now();
    }
  }
  // Scores are lost, so the data must surely be MIF.
  if (2 * tally.memories < records.count || tally.typed === 0) return undefined;
  const written = body.subarray(0, byteLength);
  const at = createLineReader(written, records.count, offsets);
  return {
    content: { ...content, body: written, records: { ...records, at } },
    scoreRange: tally.min <= tally.max ? [tally.min, tally.max] : undefined,
  };
}

function mayBeHits(content: Content, records: RecordSet): boolean {
  if (records.count === 0 || readHit(records.at(0)) === undefined) return false;
  return asBuffer(content.body).includes('"score":');
}

function readHit(record: string): Hit | undefined {
  if (record.length > MAX_RECORD_CHARACTERS) return undefined;
  const around = membersIn(record);
  const inner = around.get("memory")?.text;
  if (inner !== undefined && [...around.keys()].some((key) => !HIT_KEYS.has(key))) return undefined;
  const text = inner ?? record;
  const members = inner === undefined ? around : membersIn(inner);
  const memory: unknown = members.has("id") ? JSON.parse(text) : undefined;
  const scores = [around, members].map((of): unknown =>
    JSON.parse(of.get("score")?.text ?? "null"),
  );
  if (typeof fieldOf(memory, "id") !== "string" || !scores.every(isScore)) return undefined;
  const line = members.delete("score")
    ? `{${Array.from(members.values(), (member) => `${member.key}:${member.text}`).join(",")}}`
    : text;
  return { line, memory, score: scores.find((score) => score !== null) };
}

function membersIn(json: string): Map<string, { readonly key: string; readonly text: string }> {
  const found = membersOf(json, { start: 0, end: json.length }, MAX_MEMBERS + 1);
  if (found.length > MAX_MEMBERS) return new Map();
  const members = found.map(
    ([key, place]) => [String(JSON.parse(key)), { key, text: textAt(json, place) }] as const,
  );
  const byKey = new Map(members);
  return byKey.size === members.length ? byKey : new Map();
}

function isScore(score: unknown): score is number | null {
  return score === null || Number.isFinite(score);
}
