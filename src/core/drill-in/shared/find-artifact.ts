import type { Access } from "../../types/access.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { expiredWhy, goneSentence } from "../sentences/gone-sentence.js";
import type { ReadingStore } from "../../store/artifact-store.js";
import type { DrillInContext } from "./context.js";
import type { SeenArtifacts } from "./seen-artifacts.js";
import { keptTitle } from "../../store/new-artifact.js";
import { artifactIdIn } from "../../store/naming.js";

const MAX_LISTED_NAMES = 10;
/** Of those that were met, some may be gone by now. */
const MAX_ASKED = 2 * MAX_LISTED_NAMES;

/** What of an encrypted output can be read without `encrypted()` would tell a model nothing. */
const SEALED =
  "This stored output is encrypted, and cannot be read here. Call the tool that made it again.";

/** Either the artifact or the sentence that says why there is none. */
export type FoundArtifact =
  | { readonly storedArtifact: StoredArtifact; readonly problem?: undefined }
  | { readonly storedArtifact: undefined; readonly problem: string };

/** Names what this process has met of the session and the store still has: a listing would look through all of it. */
async function unknownAnswer(
  store: ReadingStore,
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

/** What is looked for, and where. */
interface ArtifactRequest {
  readonly reference: string;
  /** The hashed session. */
  readonly scope: string;
  /** Asked for what is not in the session's own. */
  readonly access?: Access | undefined;
  readonly nowMs: number;
}

/**
 * Finds the artifact that a model means, within one session and those that it may read: by its id, or by the title that it
 * was stored under in this process. Nothing of the reference but an id of the exact pattern goes any further; no path is
 * opened, and the store is asked for that id, however much it has. An unknown, a forged and another session's reference get
 * the same answer, which lists at most ten names.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function findArtifact(
  store: ReadingStore,
  seen: SeenArtifacts,
  request: ArtifactRequest,
  onMissing?: (artifact: StoredArtifact) => void,
): Promise<FoundArtifact> {
  const { reference, scope, access, nowMs } = request;
  const look = async (id: string | undefined, scope: string): Promise<FoundArtifact | undefined> =>
    id === undefined ? id : await lookedUp(store, seen, { id, scope, nowMs }, onMissing);
  const id = artifactIdIn(reference);
  const own =
    (await look(id, scope)) ??
    // A title may look like an id.
    (await look(seen.titled(keptTitle(reference), scope, nowMs)?.id, scope));
  if (own !== undefined) return own;
  const others = id === undefined ? undefined : await access?.(id);
  for (const other of others ?? []) {
    const found = await look(id, other);
    if (found !== undefined) return found;
  }
  return { storedArtifact: undefined, problem: await unknownAnswer(store, seen, request) };
}

/** The artifact of an id in a session, or why it cannot be read; `undefined` where it never was. */
async function lookedUp(
  store: ReadingStore,
  seen: SeenArtifacts,
  { id, scope, nowMs }: { readonly id: string; readonly scope: string; readonly nowMs: number },
  onMissing: ((artifact: StoredArtifact) => void) | undefined,
): Promise<FoundArtifact | undefined> {
  const storedArtifact = await store.stat(id, scope);
  if (storedArtifact?.sealed !== undefined) return { storedArtifact: undefined, problem: SEALED };
  if (storedArtifact !== undefined) {
    seen.remember(storedArtifact);
    return { storedArtifact };
  }
  const gone = seen.recall(id, scope) ?? (await store.statExpired?.(id, scope));
  if (gone?.scope !== scope) return undefined;
  return { storedArtifact: undefined, problem: toldGone(gone, seen, nowMs, onMissing) };
}

/**
 * What became of an artifact that was there; `undefined` where it still is.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function whatBecame(
  { store, seen, now, onMissing }: Pick<DrillInContext, "store" | "seen" | "now" | "onMissing">,
  artifact: StoredArtifact,
): Promise<string | undefined> {
  const there = await store.stat(artifact.id, artifact.scope);
  return there === undefined ? toldGone(artifact, seen, now(), onMissing) : undefined;
}

function toldGone(
  gone: StoredArtifact,
  seen: SeenArtifacts,
  nowMs: number,
  onMissing: ((artifact: StoredArtifact) => void) | undefined,
): string {
  if (seen.isEvicted(gone.id))
    return goneSentence(gone, "was deleted to keep the stored outputs within their size limit");
  if (gone.expiresAt <= nowMs) return goneSentence(gone, expiredWhy(gone));
  onMissing?.(gone);
  return goneSentence(gone, "was deleted before its time");
}
