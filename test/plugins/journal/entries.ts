import type { EntryOf } from "../../../src/plugins/journal/entry.js";
import { type ReadEntry, readJournal } from "../../../src/plugins/journal/index.js";

/** An entry of a session, of no text. */
export function stayed(session: string, at: number, toolName: string): EntryOf<"stayed-inline"> {
  return { v: 1, at, session, type: "stayed-inline", toolName, sizeBytes: 5 };
}

/** All entries of a session, page by page. */
export async function everything(directory: string, session: string): Promise<ReadEntry[]> {
  const reader = readJournal(directory);
  const found: ReadEntry[] = [];
  for (;;) {
    const { entries } = await reader.entries(session, { from: found.length, limit: 1_000 });
    if (entries.length === 0) return found;
    found.push(...entries);
  }
}
