import { join } from "node:path";

import type { ReadEntry } from "../entry.js";
import { checkedEntry } from "./check-entry.js";
import { type EntryPlace, entryId } from "./journal-index.js";
import { MAX_LINE_BYTES, withFile } from "./segment-lines.js";

/** Reads entries where the index has seen them; those whose segment is gone are left out. Never rejects. */
export async function readPlaces(
  directory: string,
  places: readonly EntryPlace[],
): Promise<readonly ReadEntry[]> {
  const found = new Map<EntryPlace, ReadEntry>();
  for (const [segment, ofSegment] of bySegment(places)) {
    try {
      await withFile(join(directory, segment), async (file) => {
        for (const place of ofSegment) {
          const { offset } = place;
          const bytes = Math.min(place.bytes, MAX_LINE_BYTES);
          const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
          const line = buffer.toString("utf8", 0, bytesRead);
          const entry = checkedEntry(line, entryId(segment, offset));
          if (entry !== undefined) found.set(place, entry);
        }
      });
    } catch {
      // Its time was over.
    }
  }
  return places.flatMap((place) => found.get(place) ?? []);
}

function bySegment(places: readonly EntryPlace[]): ReadonlyMap<string, readonly EntryPlace[]> {
  const groups = new Map<string, EntryPlace[]>();
  for (const place of places) {
    const group = groups.get(place.segment) ?? [];
    groups.set(place.segment, group);
    group.push(place);
  }
  return groups;
}
