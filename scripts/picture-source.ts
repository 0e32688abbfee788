import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
/** Beside the pictures: what they were taken of. */
export const PICTURE_SOURCE: string = join(root, "docs/public/inspect-pictures.sha256");

/** The SHA-256 of what the pictures of the page show: the page, and the script with its data. Another one asks for new pictures. */
export function pictureSource(): string {
  const page = "src/inspect/page";
  const files = readdirSync(join(root, page), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash("sha256");
  for (const path of [...files.toSorted(), join(root, "scripts/screenshots.ts")]) {
    // As it is on every system: a checkout may have other ends of lines.
    hash.update(readFileSync(path, "utf8").replaceAll("\r\n", "\n"));
  }
  return hash.digest("hex");
}
