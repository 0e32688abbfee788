import type { StayedEntry } from "../../../src/plugins/journal/index.js";

/** An entry of a session, of no text. */
export function stayed(session: string, at: number, toolName: string): StayedEntry {
  const about = { kind: "text" as const, sizeBytes: 5, keptBlocks: 0 };
  return { v: 1, at, session, type: "stayed-inline", toolName, ...about };
}
