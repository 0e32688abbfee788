import { setTimeout as wait } from "node:timers/promises";

import { codeOf } from "../../util/files.js";

/** PostgreSQL's codes for statements that were in each other's way, under a strict isolation, and for a deadlock. */
const CONFLICTS = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 10;
const LONGEST_WAIT_MS = 20;

/** Runs a statement, and again while others are in its way: with a strict isolation as a database's default they may be. */
export async function despiteConflicts<T>(statement: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await statement();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.has(codeOf(error) ?? "")) throw error;
    }
    // Not all at the same moment.
    await wait(Math.random() * LONGEST_WAIT_MS);
  }
}
