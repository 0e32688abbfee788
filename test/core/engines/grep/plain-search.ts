import type { GrepJob } from "../../../../src/core/engines/grep/job.js";
import type { GrepQuery } from "../../../../src/core/engines/grep/engine.js";

/** A search without anything special. */
export const PLAIN: Omit<GrepQuery, "source" | "pattern"> = {
  literal: false,
  ignoreCase: false,
  invert: false,
  onlyMatching: false,
  before: 0,
  after: 0,
  skip: 0,
  maxResults: Infinity,
  firstLineNumber: 1,
  maxOutputBytes: 100_000,
};

/** The same as a job of a worker, within wide bounds. */
export const JOB: Omit<GrepJob, "source"> = {
  ...PLAIN,
  pattern: "a",
  maxOutputBytes: 1e9,
  maxLineCharacters: 1e6,
  maxLineBytes: 1e8,
  softTimeoutMs: 60_000,
};
