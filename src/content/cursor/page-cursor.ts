import type { Content, RecordSet } from "../../types/content.js";
import type { LiveCursor } from "../../types/output.js";
import { identifyContent } from "../identify.js";
import { cursorIn } from "./live-cursor.js";
import { nameOf } from "./member-name.js";
import { leavesOf } from "../json/object-walk.js";

/** Members that tell the kind of a line, or that hold what is on it: lines of all kinds have them alike. */
const ON_ALL_LINES = new Set(
  "type kind event object tag op data result response body payload content meta metadata".split(
    " ",
  ),
);

/**
 * The live cursor of an output, as `cursorIn` finds it: in the document around the records, or, without records, in the
 * document. Of records that are lines or elements of their own, it is that of the last one where each is a page with records, and
 * that of the last or the first one where it has no member of the others and so is none of the data. Of what was stopped nobody
 * knows the last one. Never throws. The event loop gets a turn about every megabyte.
 */
export async function liveCursorOf(content: Content): Promise<LiveCursor | undefined> {
  const { records, kind, layout, body, complete } = content;
  if (records === undefined) {
    return layout === "document" ? await cursorIn(body, undefined) : undefined;
  }
  const { envelope, path, count } = records;
  if (envelope !== undefined) return await cursorIn(Buffer.from(envelope), path, count);
  const isList = kind === "json-lines" || kind === "json-array";
  return isList && complete !== false ? await cursorOfList(records) : undefined;
}

async function cursorOfList(records: RecordSet): Promise<LiveCursor | undefined> {
  const { count, sampleCount } = records;
  // Of records that are all too long for a sample there is none to look at.
  if (count < 2 || sampleCount === 0) return undefined;
  const last = sampleCount === undefined ? records.at(count - 1) : records.last;
  if (last === undefined) return undefined;
  const first = records.at(0);
  // Of a sample, the one nearest before the last may be the last itself.
  const before = records.at(sampleCount === undefined ? count - 2 : count >> 1);
  if (await isUnlike(last, [first, before])) return await cursorOf(last);
  const page = await cursorOfPage(last, before);
  if (page !== undefined || count < 3) return page;
  return (await isUnlike(first, [before, last])) ? await cursorOf(first) : undefined;
}

async function cursorOf(
  line: string,
  recordsAt?: readonly string[],
  recordCount?: number,
): Promise<LiveCursor | undefined> {
  return await cursorIn(Buffer.from(line), recordsAt, recordCount);
}

/** The cursor of a line that is a page, as itself or the line before it shows. */
async function cursorOfPage(line: string, before: string): Promise<LiveCursor | undefined> {
  if (!isObject(line) || (await cursorOf(line, [])) === undefined) return undefined;
  for (const shown of [line, before]) {
    const { records } = await identifyContent(shown);
    if (records === undefined || records.path.length === 0) continue;
    return await cursorOf(line, records.path, shown === line ? records.count : undefined);
  }
  return undefined;
}

/** Whether a line is an object without any member of the others but those that lines of all kinds have. */
async function isUnlike(line: string, others: readonly string[]): Promise<boolean> {
  if (!isObject(line) || !others.every(isObject)) return false;
  const known = new Set<string>();
  for (const other of others) for (const name of await namesOn(other)) known.add(name);
  return (await namesOn(line)).every((name) => !known.has(name) || ON_ALL_LINES.has(name));
}

async function namesOn(line: string): Promise<readonly string[]> {
  const leaves = await leavesOf(Buffer.from(line), (path) => path.length === 0);
  return leaves.map(({ path }) => nameOf(path[0]));
}

function isObject(line: string): boolean {
  return line.trimStart().startsWith("{");
}
