import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";

import type { SeatFile } from "../../seat/seat.js";
import type { Surroundings } from "../command.js";
import { bytes } from "../print/units.js";
import { wrongUsage } from "../wrong-usage.js";

/** Where a person or a program waits, and within what a text can hold. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file, or standard input for `-`.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what cannot be read, is no text or is too large.
 */
export async function readInput(path: string, { input }: Surroundings): Promise<SeatFile> {
  if (path === "-") return { toolName: "input", text: textOf("-", await input.bytes(MAX_BYTES)) };
  const { size } = await readable(path, stat(path));
  if (size > MAX_BYTES) throw wrongUsage(`${path} has ${bytes(size)}; up to ${bytes(MAX_BYTES)}.`);
  return { toolName: toolNameOf(path), text: textOf(path, await readable(path, readFile(path))) };
}

async function readable<Value>(path: string, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUsage(`${path} cannot be read: ${why}`);
  }
}

function textOf(path: string, data: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw wrongUsage(`${path} is no text in UTF-8; a model would not be given it as one.`);
  }
}

function toolNameOf(path: string): string {
  const name = basename(path, extname(path)).replaceAll(/[^\w-]+/g, "_");
  return name.slice(0, 64) || "file";
}
