import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

import { codeOf } from "../../util/files.js";
import type { Surroundings } from "../command.js";
import { inputFrom } from "./input.js";
import { wrongUsage } from "../wrong-usage.js";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EISDIR", "it is a directory"],
  ["EACCES", "this user may not read it"],
]);

/**
 * The text of a file, of standard input for `-`, or of anything else that has a path and ends, such as a named pipe.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for what cannot be read, is no text in UTF-8, or has more
 * than `maxBytes`.
 */
export async function readText(
  path: string,
  maxBytes: number,
  { input }: Pick<Surroundings, "input">,
): Promise<string> {
  const data = path === "-" ? await input.bytes(maxBytes) : await bytesOf(path, maxBytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw wrongUsage(`${nameOf(path)} is no text in UTF-8.`);
  }
}

async function bytesOf(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    // A directory opens as a stream on some systems and fails with other words on others.
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    return await inputFrom(createReadStream(path), undefined, nameOf(path)).bytes(maxBytes);
  } catch (error) {
    const code = codeOf(error);
    if (code === "INVALID_ARGUMENTS") throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw wrongUsage(`${nameOf(path)} cannot be read: ${REASONS.get(code ?? "") ?? why}.`);
  }
}

function nameOf(path: string): string {
  return path === "-" ? "Standard input" : JSON.stringify(path.slice(0, 200));
}
