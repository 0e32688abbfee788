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
