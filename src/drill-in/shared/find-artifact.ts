import type { ArtifactStore } from "../../store/artifact-store.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { expiredWhy, goneSentence } from "../sentences/gone-sentence.js";
import type { SeenArtifacts } from "./seen-artifacts.js";
import { artifactIdIn } from "../../store/naming.js";

const MAX_LISTED_NAMES = 10;
/** Of those that were met, some may be gone by now. */
const MAX_ASKED = 2 * MAX_LISTED_NAMES;

/** Either the artifact or the sentence that says why there is none. */
export type FoundArtifact =
  | { readonly storedArtifact: StoredArtifact; readonly problem?: undefined }
  | { readonly storedArtifact: undefined; readonly problem: string };

/** Names what this process has met of the session and the store still has: a listing would look through all of it. */
async function unknownAnswer(
  store: ArtifactStore,
  seen: SeenArtifacts,
  { scope, nowMs }: { readonly scope: string; readonly nowMs: number },
): Promise<string> {
  const start = "No stored output has this id or name.";
  const stats = seen
    .newest(scope, nowMs, MAX_ASKED)
    .map(({ id }) => store.stat(id, scope).catch(() => undefined));
  const there = (await Promise.all(stats)).flatMap((artifact) => artifact?.fileName ?? []);
  const names = there.slice(0, MAX_LISTED_NAMES);
  if (names.length === 0) {
    return `${start} Pass it as it stands in this conversation, or call the tool whose output you need.`;
  }
  const which = names.length === MAX_LISTED_NAMES ? ` (the newest ${names.length})` : "";
  return `${start} Use one of this session's${which}: ${names.join(", ")}`;
}

/**
 * Finds the artifact that a model means, within one session. Nothing of the reference but an id of
 * the exact pattern goes any further; no path is opened, and the store is asked for that id, however much it
 * has. An unknown, a forged and another session's reference get the same answer, which lists at most ten names.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function findArtifact(
  store: ArtifactStore,
  seen: SeenArtifacts,
  request: { readonly reference: string; readonly scope: string; readonly nowMs: number },
): Promise<FoundArtifact> {
  const { reference, scope, nowMs } = request;
  const id = artifactIdIn(reference);
  if (id !== undefined) {
    const storedArtifact = await store.stat(id, scope);
    if (storedArtifact !== undefined) {
      seen.remember(storedArtifact);
      return { storedArtifact };
    }
    const gone = seen.recall(id, scope) ?? (await store.statExpired?.(id, scope));
    if (gone?.scope === scope) {
      return { storedArtifact: undefined, problem: goneSentence(gone, whyGone(gone, seen, nowMs)) };
    }
  }
  return { storedArtifact: undefined, problem: await unknownAnswer(store, seen, request) };
}

function whyGone(gone: StoredArtifact, seen: SeenArtifacts, nowMs: number): string {
  if (seen.isEvicted(gone.id)) {
    return "was deleted to keep the stored outputs within their size limit";
  }
  return gone.expiresAt <= nowMs ? expiredWhy(gone) : "was deleted before its time";
}
