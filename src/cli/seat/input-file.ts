import { basename, extname } from "node:path";

import type { SeatFile } from "../../seat/seat.js";
import type { Surroundings } from "../command.js";
import { readText } from "../input/read-text.js";

/** Where a person or a program waits, and within what a text can hold. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file, or standard input for `-`.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what cannot be read, is no text or is too large.
 */
export async function readInput(path: string, surroundings: Surroundings): Promise<SeatFile> {
  const text = await readText(path, MAX_BYTES, surroundings);
  return { toolName: path === "-" ? "input" : toolNameOf(path), text };
}

function toolNameOf(path: string): string {
  const name = basename(path, extname(path)).replaceAll(/[^\w-]+/g, "_");
  return name.slice(0, 64) || "file";
}
