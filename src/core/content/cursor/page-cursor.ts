import type { Content } from "../../types/content.js";
import type { LiveCursor } from "../../types/output.js";
import { leavesOf } from "../json/object-walk.js";
import { cursorIn } from "./live-cursor.js";

/**
 * The live cursor of an output, as `cursorIn` finds it: in the document around the records, or, without records, in the
 * document. Of records that are lines or elements of their own it is that of the last one, where that has no member of the
 * first one and so is none of the data. Of what was stopped nobody knows the last one. Never throws.
 */
export async function liveCursorOf(content: Content): Promise<LiveCursor | undefined> {
  const { records, kind, layout, body, complete } = content;
  if (records === undefined) {
    return layout === "document" ? await cursorIn(body, undefined) : undefined;
  }
  const { envelope, path, count, sampleCount } = records;
  if (envelope !== undefined) return await cursorIn(Buffer.from(envelope), path, count);
  const isList = kind === "json-lines" || kind === "json-array";
  if (!isList || complete === false || count < 2 || sampleCount === 0) return undefined;
  const last = sampleCount === undefined ? records.at(count - 1) : records.last;
  if (last === undefined || !(await isUnlike(last, records.at(0)))) return undefined;
  return await cursorIn(Buffer.from(last), []);
}

async function isUnlike(last: string, first: string): Promise<boolean> {
  const known = new Set(await keysOf(first));
  const keys = await keysOf(last);
  return known.size > 0 && keys.length > 0 && !keys.some((key) => known.has(key));
}

/** The keys of an object; none of anything else. */
async function keysOf(line: string): Promise<readonly string[]> {
  if (!line.trimStart().startsWith("{")) return [];
  const leaves = await leavesOf(Buffer.from(line), (path) => path.length === 0);
  return leaves.map(({ path }) => path[0] ?? "");
}
