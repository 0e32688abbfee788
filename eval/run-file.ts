import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

import { fieldOf } from "../src/util/field-of.js";
import { keyOf, type Sample, SAMPLE_VERSION } from "./sample.js";

/** What a run file holds. */
export interface RunFile {
  /** Of several lines of one conversation the last. */
  readonly samples: readonly Sample[];
  /** Lines that could not be read: cut by a crash, or of another version. */
  readonly brokenLines: number;
}

/** Reads a run file; one that does not exist is empty. */
export function readRunFile(path: string): RunFile {
  if (!existsSync(path)) return { samples: [], brokenLines: 0 };
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const samples = new Map<string, Sample>();
  let brokenLines = 0;
  for (const line of lines) {
    const sample = sampleIn(line);
    if (sample === undefined) brokenLines += 1;
    else samples.set(keyOf(sample), sample);
  }
  return { samples: [...samples.values()], brokenLines };
}

/** Writes conversations to the end of a run file, each at once, so that an interrupt loses none that is done. */
export function appendTo(path: string): (sample: Sample) => void {
  mkdirSync(dirname(path), { recursive: true });
  let isFresh = true;
  return (sample) => {
    // A line that a crash has cut must not swallow this one.
    const before = isFresh && endsInLine(path) ? "\n" : "";
    isFresh = false;
    appendFileSync(path, `${before}${JSON.stringify(sample)}\n`);
  };
}

function endsInLine(path: string): boolean {
  return existsSync(path) && /[^\n]$/.test(readFileSync(path, "utf8").slice(-1));
}

function sampleIn(line: string): Sample | undefined {
  try {
    const sample: unknown = JSON.parse(line);
    return isSample(sample) ? sample : undefined;
  } catch {
    return undefined;
  }
}

function isSample(value: unknown): value is Sample {
  return fieldOf(value, "version") === SAMPLE_VERSION && Array.isArray(fieldOf(value, "calls"));
}
