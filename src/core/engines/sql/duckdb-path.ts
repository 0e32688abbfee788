import { findInstalled } from "../find-package.js";

export const DUCKDB = "@duckdb/node-api";

export function findDuckdb(): string | undefined {
  return findInstalled(DUCKDB);
}

export function cannotStart(why: string): string {
  return `SQL cannot start here: ${why.split("\n", 1)[0]}.`;
}
