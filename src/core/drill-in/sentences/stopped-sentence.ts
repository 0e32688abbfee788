import type { StoredArtifact } from "../../types/artifact.js";
import { megabytes } from "../shared/named-outputs.js";
import { grouped } from "../../../util/amounts.js";

/** Of smaller outputs all is read at once. */
const MIN_TOLD_BYTES = 1_000_000;

/** After what a run was stopped, such as `30 s`. */
export function stoppedAfter({ timeoutMs }: { readonly timeoutMs: number }): string {
  return `${timeoutMs / 1000} s`;
}

/** How far a run had come, as a sentence after another one; empty where that is not known. */
export function readSoFar(
  read: number | undefined,
  {
    sizeBytes,
    headerBytes,
    layout,
    recordCount,
    lineCount,
  }: Pick<StoredArtifact, "sizeBytes" | "headerBytes" | "layout" | "recordCount" | "lineCount">,
): string {
  const all = sizeBytes - headerBytes;
  if (read === undefined || all < MIN_TOLD_BYTES) return "";
  if (read >= all) return ` It had read all of ${megabytes(all)}.`;
  const [count, noun] = layout === "text" ? [lineCount, "lines"] : [recordCount, "records"];
  const isOneByOne = layout !== "document" && count !== undefined;
  const some = isOneByOne
    ? `, some ${roundly((count * read) / all)} of ${grouped(count)} ${noun}`
    : "";
  return ` It had read ${(read / 1e6).toFixed(1)} of ${megabytes(all)}${some}.`;
}

/** A number of which only the first two digits are known. */
function roundly(count: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return grouped(Math.round(count / unit) * unit);
}
