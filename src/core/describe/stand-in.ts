import type { StoredArtifact } from "../types/artifact.js";

/** In the place of an id: as long as every id, and with more tokens than any of a million random ones has. */
const ID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
/** Digits of a scope's hash that may stand in a path, and what stands for them. */
const FOLDER_DIGITS = 32;
const FOLDER = "7a".repeat(FOLDER_DIGITS / 2);

/**
 * The text as far as it is the same in every session: with fixed characters for the ids of the artifact and of those it
 * was made from, and for the folder of its session. What is chosen by the tokens of this text is chosen alike whatever the id is; the text itself
 * has no more tokens.
 */
export function withStandIns(
  text: string,
  { id, scope, derivedFrom = [] }: Pick<StoredArtifact, "id" | "scope" | "derivedFrom">,
): string {
  const folder = scope.slice(0, FOLDER_DIGITS);
  const named = [id, ...derivedFrom].reduce(
    (replaced, one) => (one === "" ? replaced : replaced.replaceAll(one, () => ID)),
    text,
  );
  return folder.length < FOLDER_DIGITS ? named : named.replaceAll(folder, () => FOLDER);
}
