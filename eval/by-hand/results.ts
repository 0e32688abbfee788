import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import type { TaskKind } from "../tasks/task.js";
import type { Action } from "./seat-model.js";
import type { Transcript } from "./transcript.js";

/** What a task came to. */
export interface TaskResult {
  readonly task: string;
  readonly kind: TaskKind;
  /** `answered`, or why there is no answer. */
  readonly ending: string;
  readonly given: unknown;
  readonly right: boolean;
  /** Of tools, those that fetched the data left out. */
  readonly calls: number;
  /** Of all steps after the data were fetched: definitions and everything before, once more in each. */
  readonly inputTokens: number;
  /** Of these, what an earlier step had sent already. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** With placeholders for ids and the folder of the outputs. */
  readonly actions: readonly Action[];
  /** What was shown; results of earlier versions have none. */
  readonly transcript?: Transcript;
}

/** A run of one player in one arm. */
export interface ResultsFile {
  readonly version: 1;
  readonly arm: string;
  /** Who played the model. */
  readonly player: string;
  /** Of the packages that took part. */
  readonly versions: string;
  readonly results: readonly TaskResult[];
}

/**
 * Reads a results file.
 *
 * @throws an `Error` when it is none.
 */
export function readResults(path: string): ResultsFile {
  const file: unknown = JSON.parse(readFileSync(path, "utf8"));
  const isFile =
    typeof file === "object" &&
    file !== null &&
    Reflect.get(file, "version") === 1 &&
    Array.isArray(Reflect.get(file, "results"));
  if (!isFile) throw new Error(`${path} is no results file of this version.`);
  return file as ResultsFile;
}

/** Opens a file to which results are added; one that is there goes on, if it is of the same arm. */
export function openResults(
  path: string,
  head: Pick<ResultsFile, "arm" | "player" | "versions">,
): { readonly results: readonly TaskResult[]; readonly add: (result: TaskResult) => void } {
  const before = existsSync(path) ? readResults(path) : undefined;
  if (before !== undefined && before.arm !== head.arm) {
    throw new Error(
      `${path} has results of the arm ${before.arm}. Name another file by --results.`,
    );
  }
  const results = [...(before?.results ?? [])];
  return {
    results,
    add(result) {
      results.push(result);
      mkdirSync(dirname(path), { recursive: true });
      // Whole or not at all, whenever the process ends.
      writeFileSync(`${path}.new`, resultsText({ version: 1, ...head, results }));
      renameSync(`${path}.new`, path);
    },
  };
}

/** A results file as text, a line for each task. */
function resultsText({ results, ...head }: ResultsFile): string {
  const lines = results.map((result) => JSON.stringify(result)).join(",\n");
  return `${JSON.stringify(head).slice(0, -1)},"results":[\n${lines}\n]}\n`;
}
