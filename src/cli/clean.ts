import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { readSettings } from "../config/read-settings.js";
import { fileStore } from "../store/file.js";
import type { StoredArtifact } from "../types.js";

/** What a command has from the process it runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** 0: done. 1: the command failed. 2: it was called wrongly, and nothing was done. */
export type ExitCode = 0 | 1 | 2;

/** Options of the command `clean`. */
export interface CleanOptions {
  /** Wins over the environment and the file. */
  readonly directory: string | undefined;
  /** A TOML file with settings. */
  readonly config: string | undefined;
  /** Prints one JSON object instead of lines. */
  readonly json: boolean;
}

/**
 * Removes what has expired from a directory of stored outputs and from the folders of sessions in it,
 * and prints what was removed.
 * Problems of the settings go to standard error and stop nothing. Never throws.
 */
export async function clean(
  { directory: given, config, json }: CleanOptions,
  { env, nowMs, out, err }: Surroundings,
): Promise<ExitCode> {
  const { values, problems } = readSettings({ env, file: config });
  for (const problem of problems) err(`${problem}\n`);
  const directory = resolve(given ?? (values.outputDir || tmpdir()));
  let removed: readonly StoredArtifact[];
  try {
    removed = [
      ...(await fileStore({ directory }).sweep(nowMs)),
      ...(await fileStore({ directory, folders: "session" }).sweep(nowMs)),
    ];
  } catch (error) {
    err(
      `${directory} cannot be cleaned: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return 1;
  }
  out(json ? asJson(directory, removed) : asLines(directory, removed));
  return 0;
}

function asJson(directory: string, removed: readonly StoredArtifact[]): string {
  const report = {
    directory,
    removed: removed.map(({ id, filePath, sizeBytes, expiresAt }) => ({
      id,
      file_path: filePath,
      size_bytes: sizeBytes,
      expired_at: dateOf(expiresAt),
    })),
    removed_bytes: totalBytes(removed),
  };
  return `${JSON.stringify(report)}\n`;
}

function asLines(directory: string, removed: readonly StoredArtifact[]): string {
  const lines = removed.map(
    ({ filePath, sizeBytes, expiresAt }) =>
      `${filePath}  ${sizeBytes} bytes, expired ${dateOf(expiresAt)}`,
  );
  const files = removed.length === 1 ? "1 output" : `${removed.length} outputs`;
  lines.push(`Removed ${files}, ${totalBytes(removed)} bytes, from ${directory}.`);
  return lines.map((line) => `${line}\n`).join("");
}

/** A record may name a time that no calendar has. */
function dateOf(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? String(unixMs) : date.toISOString();
}

function totalBytes(removed: readonly StoredArtifact[]): number {
  return removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
