import type { GrepJob } from "../../../../src/core/engines/grep/job.js";

/** A search without options, within wide bounds. */
export const JOB: Omit<GrepJob, "source"> = {
  pattern: "a",
  literal: false,
  ignoreCase: false,
  invert: false,
  before: 0,
  after: 0,
  skip: 0,
  onlyMatching: false,
  maxResults: Infinity,
  maxOutputBytes: 1e9,
  maxLineCharacters: 1e6,
  firstLineNumber: 1,
  maxLineBytes: 1e8,
  softTimeoutMs: 60_000,
};
