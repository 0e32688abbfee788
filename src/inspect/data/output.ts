import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import { createIndexes } from "../../core/drill-in/read/line-index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { LeftOutput, OutputDetail, SeenDescriptor } from "../wire.js";
import type { PagedBody } from "./body-page.js";
import type { Catalogue } from "./catalogue.js";
import type { Folded } from "./fold.js";

/** One output, with what a journal has of it. */
export async function outputDetail(
  artifact: StoredArtifact,
  journal: JournalReader | undefined,
  folded: Folded | undefined,
): Promise<OutputDetail> {
  if (journal === undefined || folded === undefined) return { artifact };
  const { outputs } = await folded(artifact.scope);
  const { storedAt, leftAt, readAt = [] } = outputs.get(artifact.id) ?? {};
  const entryAt = async (from: number | undefined): Promise<ReadEntry | undefined> =>
    from === undefined
      ? undefined
      : (await journal.entries(artifact.scope, { from, limit: 1 })).entries[0];
  const readBy = await Promise.all(readAt.map(entryAt));
  return {
    artifact,
    readBy: readBy.filter((entry) => entry !== undefined),
    seen: seenIn(artifact, await entryAt(storedAt)),
    left: leftIn(artifact, await entryAt(leftAt)),
  };
}

function leftIn({ id }: StoredArtifact, entry: ReadEntry | undefined): LeftOutput | undefined {
  if (entry?.type !== "aged" || !entry.artifactIds.includes(id)) return undefined;
  const line = entry.lines?.[entry.artifactIds.indexOf(id)];
  return { at: entry.at, line: line?.withheld ? undefined : line?.text };
}

function seenIn({ id }: StoredArtifact, entry: ReadEntry | undefined): SeenDescriptor | undefined {
  if (entry?.type !== "offloaded" || entry.artifact.id !== id) return undefined;
  const { descriptor, descriptorTokens: tokens } = entry;
  if (descriptor === undefined || descriptor.withheld) return undefined;
  return { text: descriptor.text, tokens, cut: descriptor.characters !== undefined };
}

/** Bodies as pages are taken of them; what is counted of their lines is kept. */
export function createBodies({ store, find }: Catalogue): (id: string) => Promise<PagedBody> {
  const indexOf = createIndexes(store);
  return async (id) => {
    const artifact = await find(id);
    return { artifact, store, index: indexOf(artifact) };
  };
}
