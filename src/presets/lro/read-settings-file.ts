import { readFileSync, statSync } from "node:fs";
import { parse, TomlError } from "smol-toml";

/** Largest configuration file that is read, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The section of a file, or what is wrong with it; both empty when the file has no such section. */
export interface FileSection {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/**
 * Reads the section `[prompt.offload]` of a TOML file of at most 1 MiB, at once. Never throws: a
 * file that is missing, unreadable or no TOML gives a problem, with the line where there is one.
 */
export function readFileSection(file: string): FileSection {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    return nothing(`${file} cannot be read: ${messageOf(error)}. It is ignored.`);
  }
  try {
    return sectionOf(parse(text, { integersAsBigInt: "asNeeded" }), file);
  } catch (error) {
    const place =
      error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    const [reason = ""] = messageOf(error).split("\n");
    return nothing(`${file} is not valid TOML${place}: ${reason}. It is ignored.`);
  }
}

function readText(file: string): string {
  const stats = statSync(file);
  // A pipe would hold the process until somebody writes to it.
  if (!stats.isFile()) throw new Error("it is not a regular file");
  if (stats.size > MAX_FILE_BYTES) throw new Error(`it is over ${MAX_FILE_BYTES} bytes`);
  return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
}

function sectionOf(document: unknown, file: string): FileSection {
  let section: unknown = document;
  for (const [depth, key] of ["prompt", "offload"].entries()) {
    if (!isTable(section)) return nothing(notATable(file, depth));
    if (!Object.hasOwn(section, key)) return { values: {}, problems: [] };
    section = section[key];
  }
  return isTable(section) ? { values: section, problems: [] } : nothing(notATable(file, 2));
}

function notATable(file: string, depth: number): string {
  const name = ["prompt", "offload"].slice(0, depth).join(".");
  return `${name} in ${file} is not a table; write the section [prompt.offload]. It is ignored.`;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    // Dates are values.
    [null, Object.prototype].includes(Object.getPrototypeOf(value))
  );
}

function nothing(problem: string): FileSection {
  return { values: {}, problems: [problem] };
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
