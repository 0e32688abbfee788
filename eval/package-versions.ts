import { readFileSync } from "node:fs";

let known: string | undefined;

/** The packages whose behaviour the numbers show, with their versions. */
export function packageVersions(): string {
  known ??= [
    "../package.json",
    "../node_modules/langchain/package.json",
    "../node_modules/deepagents/package.json",
  ]
    .map((path) => {
      const { name, version }: { name: string; version: string } = JSON.parse(
        readFileSync(new URL(path, import.meta.url), "utf8"),
      );
      return `${name} ${version}`;
    })
    .join(", ");
  return known;
}
