import { deployedWith, findInstalled } from "../find-package.js";

export const DUCKDB = "@duckdb/node-api";
export const DEPLOYED: string = deployedWith("@duckdb");

export function findDuckdb(): string | undefined {
  return findInstalled(DUCKDB);
}

export function cannotStart(why: string): string {
  const sentence = `SQL cannot start here: ${why.split("\n", 1)[0]}.`;
  return why.includes("duckdb") ? `${sentence} ${DEPLOYED}` : sentence;
}
