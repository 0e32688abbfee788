import type { BodySample } from "../wire.js";
import { bodyPage, lineNear, type PagedBody } from "./body-page.js";

/** Which part of a body, and how many records of it. */
export interface SampleRequest {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/** A body up to this size is read whole. */
const SMALL_BYTES = 1_048_576;
/** Longest record of a sample; what is longer has no place in a picture. */
const MAX_RECORD_CHARACTERS = 16_384;

/**
 * Lines spread evenly over a part of a body: each place is a read of its own, so that a gigabyte takes as long as a megabyte.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function bodySample(
  body: PagedBody,
  { start, end: wanted, count }: SampleRequest,
): Promise<BodySample> {
  const end = Math.min(wanted, body.artifact.sizeBytes);
  const of = body.artifact.recordCount ?? body.artifact.lineCount;
  if (end - start <= SMALL_BYTES) {
    const all = await allLines(body, start, end);
    const step = Math.max(1, all.length / count);
    const taken = Math.min(count, all.length);
    return {
      records: Array.from({ length: taken }, (_, place) => all[Math.floor(place * step)] ?? ""),
      of,
    };
  }
  const records: string[] = [];
  let last = -1;
  for (let place = 0; place < count; place += 1) {
    const near = start + Math.floor(((end - start) * place) / count);
    const line = await lineNear(body, near, end);
    if (line === undefined || line.at === last || line.cut || line.continued) continue;
    last = line.at;
    if (line.at >= start) records.push(line.text);
  }
  return { records, of };
}

async function allLines(body: PagedBody, start: number, end: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (let at: number | undefined = start; at !== undefined;) {
    const page = await bodyPage(body, { place: { at }, count: 10_000, until: end });
    for (const { text, cut, continued } of page.lines) {
      if (!cut && !continued && text.length <= MAX_RECORD_CHARACTERS) all.push(text);
    }
    at = page.next;
  }
  return all;
}
