import type { ArtifactStore } from "../../store/artifact-store.js";
import type { StoredArtifact } from "../../types.js";
import { expiredWhy, goneSentence } from "../sentences/gone-sentence.js";
import type { SeenArtifacts } from "./seen-artifacts.js";
import { listArtifacts } from "../../store/list-artifacts.js";

/** A ULID at the end of a file name, its extension aside; its first digit keeps it within 128 bits. */
const ID_IN_NAME = /^(?:[\w.~ -]*[-_.~ ])?([0-7][0-9A-HJKMNP-TV-Z]{25})(?:\.[A-Za-z0-9]{1,10})?$/i;
/** Longer than any path, in UTF-16 code units; what is longer is not looked at. */
export const MAX_REFERENCE_CHARACTERS: number = 4096;
const MAX_LISTED_NAMES = 10;
/** Bounds the walk over a session's artifacts: pages of the store's default size. */
const MAX_LIST_PAGES = 20;

/** Either the artifact or the sentence that says why there is none. */
export type FoundArtifact =
  | { readonly storedArtifact: StoredArtifact; readonly problem?: undefined }
  | { readonly storedArtifact: undefined; readonly problem: string };

/** The last part of a path, without quotes and `file://`; `undefined` when it tries to leave a folder. */
function baseNameOf(reference: string): string | undefined {
  if (reference.length > MAX_REFERENCE_CHARACTERS || reference.includes("\0")) return undefined;
  let path = reference.trim();
  const quote = path[0];
  if (
    path.length > 1 &&
    (quote === "'" || quote === '"' || quote === "`") &&
    path.endsWith(quote)
  ) {
    path = path.slice(1, -1).trim();
  }
  path = path.replace(/^file:\/\//i, "");
  const parts = path
    .replaceAll(/%2f|%5c/gi, "/")
    .replaceAll(/%2e/gi, ".")
    .split(/[/\\]/);
  if (parts.includes("..")) return undefined;
  return parts.at(-1);
}

/**
 * The artifact id in what a model passed: an id in any case, a file name, an absolute path, quoted
 * or with `file://`. `undefined` when the last part of the path is not exactly a name with an id.
 */
export function artifactIdIn(reference: string): string | undefined {
  const name = baseNameOf(reference);
  return name === undefined ? undefined : ID_IN_NAME.exec(name)?.[1]?.toUpperCase();
}

function unknownAnswer(artifacts: readonly StoredArtifact[]): string {
  const start = "No stored output has this id or name.";
  if (artifacts.length === 0)
    return `${start} This session has no stored outputs; call the tool whose output you need.`;
  const names = artifacts
    .slice(-MAX_LISTED_NAMES)
    .toReversed()
    .map((artifact) => artifact.fileName);
  const more =
    artifacts.length > names.length ? ` (the newest ${names.length} of ${artifacts.length})` : "";
  return `${start} Use one of this session's${more}: ${names.join(", ")}`;
}

/**
 * Finds the artifact that a model means, within one session. Nothing of the reference but an id of
 * the exact pattern, or a name that the session has, goes any further; no path is opened. An
 * unknown, a forged and another session's reference get the same answer, which lists at most ten names.
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
  const artifacts = await listArtifacts(store, scope, MAX_LIST_PAGES);
  // Names that a preset makes need not hold the id.
  const name = id === undefined ? baseNameOf(reference) : undefined;
  const named =
    name === undefined ? undefined : artifacts.findLast((artifact) => artifact.fileName === name);
  if (named === undefined) return { storedArtifact: undefined, problem: unknownAnswer(artifacts) };
  seen.remember(named);
  return { storedArtifact: named };
}

function whyGone(gone: StoredArtifact, seen: SeenArtifacts, nowMs: number): string {
  if (seen.isEvicted(gone.id)) {
    return "was deleted to keep the stored outputs within their size limit";
  }
  return gone.expiresAt <= nowMs ? expiredWhy(gone) : "was deleted before its time";
}
