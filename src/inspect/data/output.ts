import type { JournalReader, ReadEntry } from "../../plugins/journal/index.js";
import { createIndexes, type LineIndex } from "../../core/drill-in/read/line-index.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { LeftOutput, OutputDetail, SeenDescriptor } from "../wire.js";
import type { PagedBody } from "./body-page.js";
import type { Catalogue } from "./catalogue.js";
import type { FoldedSession } from "./folds.js";
import type { LeftPlace } from "./session-fold.js";

/** One output, with what a journal has of it. */
export async function outputDetail(
  artifact: StoredArtifact,
  journal: JournalReader | undefined,
  folded: ((session: string) => Promise<FoldedSession>) | undefined,
): Promise<OutputDetail> {
  if (journal === undefined || folded === undefined) return { artifact };
  const { fold } = await folded(artifact.scope);
  const place = fold.storedAt.get(artifact.id);
  const seen = place === undefined ? undefined : await seenAt(journal, artifact, place);
  const leftAt = fold.left.get(artifact.id);
  const left = leftAt === undefined ? undefined : await leftOutput(journal, artifact, leftAt);
  return {
    artifact,
    readBy: fold.readBy.get(artifact.id) ?? [],
    ...(seen !== undefined && { seen }),
    ...(left !== undefined && { left }),
  };
}

async function entryAt(
  journal: JournalReader,
  { scope }: StoredArtifact,
  from: number,
): Promise<ReadEntry | undefined> {
  return (await journal.entries(scope, { from, limit: 1 })).entries[0];
}

async function leftOutput(
  journal: JournalReader,
  artifact: StoredArtifact,
  { place, index }: LeftPlace,
): Promise<LeftOutput | undefined> {
  const entry = await entryAt(journal, artifact, place);
  if (entry?.type !== "aged" || entry.artifactIds[index] !== artifact.id) return undefined;
  const line = entry.lines?.[index];
  const isThere = line !== undefined && line.withheld !== true;
  return { at: entry.at, ...(isThere && { line: line.text }) };
}

async function seenAt(
  journal: JournalReader,
  artifact: StoredArtifact,
  place: number,
): Promise<SeenDescriptor | undefined> {
  const entry = await entryAt(journal, artifact, place);
  if (entry?.type !== "offloaded" || entry.artifact.id !== artifact.id) return undefined;
  const { descriptor, descriptorTokens } = entry;
  if (descriptor === undefined || descriptor.withheld === true) return undefined;
  const isCut = descriptor.characters !== undefined;
  return {
    text: descriptor.text,
    tokens: descriptorTokens,
    ...(isCut && { cut: true as const }),
  };
}

/** Bodies as pages are taken of them; what is counted of their lines is kept. */
export function createBodies(catalogue: Catalogue): (id: string) => Promise<PagedBody> {
  const indexes = new WeakMap<ArtifactStore, (artifact: StoredArtifact) => LineIndex>();
  return async (id) => {
    const artifact = await catalogue.find(id);
    const store = catalogue.storeOf(artifact);
    const indexOf = indexes.get(store) ?? createIndexes(store);
    indexes.set(store, indexOf);
    return { artifact, store, index: indexOf(artifact) };
  };
}
