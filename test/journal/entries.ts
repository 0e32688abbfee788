import type { JournalEntry } from "../../src/journal/index.js";

/** An entry of a session, as large as its tool's name. */
export function stayed(session: string, at: number, toolName: string): JournalEntry {
  const about = { kind: "text" as const, sizeBytes: 5, keptBlocks: 0 };
  return { v: 1, at, session, type: "stayed-inline", toolName, ...about };
}
