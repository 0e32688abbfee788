import { setImmediate as nextTurn } from "node:timers/promises";

import { type RowFormat, rowFormatOf } from "../content/table/rows.js";
import { isOneValue, type Markup, markupOf } from "../content/as-value.js";
import type { ByteRange } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Layout } from "../types/content.js";

/** A byte range of a local file (`start` after the header line, `end` exclusive), or bytes. */
export type DataSource = FileSource | { readonly bytes: Uint8Array };

export interface FileSource extends ByteRange {
  readonly path: string;
}

/** @param give - The body stays available until its `use` is done. */
export async function withSources<Item extends object, Result>(
  items: readonly Item[],
  give: (item: Item, use: (source: DataSource) => Promise<Result>) => Promise<Result>,
  use: (given: readonly (Item & { readonly source: DataSource })[]) => Promise<Result>,
): Promise<Result> {
  const [first, ...rest] = items;
  if (first === undefined) return await use([]);
  return await give(first, (source) =>
    withSources(rest, give, (given) => use([{ ...first, source }, ...given])),
  );
}

export interface BodyForm {
  readonly layout: Layout;
  /** Default: CSV. */
  readonly rowFormat?: RowFormat | undefined;
  /** `false` for JSON lines. Default `true`. */
  readonly isOneValue?: boolean | undefined;
  readonly markup?: Markup | undefined;
}

export function isOneDocument({ layout, markup, isOneValue }: BodyForm): boolean {
  return markup !== undefined || (layout === "document" && isOneValue !== false);
}

export function readAs(
  artifact: Pick<StoredArtifact, "layout" | "kind" | "literalQuotes">,
): BodyForm {
  const { layout } = artifact;
  if (layout === "text") return { layout, markup: markupOf(artifact) };
  if (layout === "rows") return { layout, rowFormat: rowFormatOf(artifact) };
  return layout === "document" ? { layout, isOneValue: isOneValue(artifact) } : { layout };
}

export function bodySource({ filePath, headerBytes, sizeBytes }: StoredArtifact): DataSource {
  if (filePath === undefined) throw new TypeError("The artifact has no file.");
  return { path: filePath, start: headerBytes, end: sizeBytes };
}

/** Takes a few milliseconds. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** Shared memory reaches a worker without a copy. Yields every 4 MiB. Files are returned unchanged. */
export async function shareSource(source: DataSource): Promise<DataSource> {
  if (!("bytes" in source) || source.bytes.buffer instanceof SharedArrayBuffer) return source;
  const from = source.bytes;
  const shared = new Uint8Array(new SharedArrayBuffer(from.length));
  for (let at = 0; at < from.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    shared.set(from.subarray(at, at + SLICE_BYTES), at);
  }
  return { bytes: shared };
}
