import { endOfStringBytes } from "./json-ends.js";
import { createJsonKeySet } from "./json-key-set.js";
import { restoreCommas, restoreCommasNow } from "./json-marks.js";
import type { RecordSetPlace } from "./json-outline.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { createRecordOffsets, noteRecord, type RecordOffsets } from "../record-offsets.js";

const BEFORE_KEY = Buffer.from('{"key":');
const BEFORE_VALUE = Buffer.from(',"value":');
/** What a member grows by when it becomes a record: the names around it, less its own comma and colon. */
const GROWTH_BYTES = 16;

/**
 * Writes each member of a map as the record `{"key":…,"value":…}` and a line feed, tokens unchanged. `undefined` when
 * two have the same key: of such members every reader but this one takes the last.
 *
 * @param buffer - The compacted text with the outline's marks. The records are written over it when
 * it has room for them; what it held is lost.
 */
export async function writeMapRecords(
  buffer: Buffer,
  place: RecordSetPlace,
): Promise<{ readonly body: Buffer; readonly offsets: RecordOffsets } | undefined> {
  const inner = place.end - place.start - 2;
  const size = inner + place.count * GROWTH_BYTES + 1;
  const isInPlace = size <= buffer.length;
  const target = isInPlace ? buffer : Buffer.allocUnsafeSlow(size);
  let read = place.start + 1;
  if (isInPlace) {
    // From the far end the members can be read while the records grow towards them.
    read = buffer.length - inner;
    buffer.copyWithin(read, place.start + 1, place.end - 1);
  }
  const end = read + inner;
  const members = buffer.subarray(0, end);
  const offsets = createRecordOffsets();
  const keys = createJsonKeySet(target, place.count);
  let write = 0;
  let unpausedBytes = 0;
  for (let record = 0; record < place.count; record += 1) {
    noteRecord(offsets, record, write);
    const keyEnd = endOfStringBytes(members, read);
    const mark = members.indexOf(place.depth + 1, keyEnd);
    const valueEnd = mark === -1 ? end : mark;
    write += BEFORE_KEY.copy(target, write);
    const key = write;
    write += members.copy(target, key, read, keyEnd);
    if (!keys.add(key, write)) return undefined;
    write += BEFORE_VALUE.copy(target, write);
    const value = write;
    write += members.copy(target, value, keyEnd + 1, valueEnd);
    unpausedBytes += valueEnd - read;
    if (unpausedBytes > BYTES_BETWEEN_PAUSES) {
      await pause();
      await restoreCommas(target, value, write);
      unpausedBytes = 0;
    } else {
      restoreCommasNow(target, value, write);
    }
    target[write] = 0x7d;
    target[write + 1] = 0x0a;
    write += 2;
    read = valueEnd + 1;
  }
  return { body: target.subarray(0, write), offsets };
}
