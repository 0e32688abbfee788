import type { NewArtifact } from "../../core/store/artifact-store.js";
import { artifactFileName, newArtifactId, scopeOf } from "../../core/store/naming.js";

/** The time at which a contract test begins, in Unix milliseconds. */
export const CONTRACT_START_MS: number = 1_900_000_000_000;
/** How long a contract test's artifacts live. */
export const CONTRACT_TTL_MS: number = 3_600_000;

/** A valid artifact for a body of `sizeBytes`; `changes` replace its fields. */
export function contractArtifact(
  sizeBytes: number,
  changes: Partial<NewArtifact> = {},
): NewArtifact {
  const createdAt = changes.createdAt ?? CONTRACT_START_MS;
  const id = changes.id ?? newArtifactId(createdAt);
  return {
    id,
    fileName: artifactFileName({
      prefix: "atlatl",
      operation: "recall",
      id,
      layout: "records",
      kind: "json-array",
    }),
    kind: "json-array",
    layout: "records",
    encoding: "utf-8",
    toolName: "recall_memories",
    operation: "recall",
    args: { query: "caching \u{1F600} \u{20000}", limit: 9007199254740991, nested: { none: null } },
    detail: "light",
    sizeBytes,
    headerBytes: 0,
    lineCount: 1,
    recordCount: 1,
    tokens: 2000,
    tokensExact: true,
    recipes: [
      {
        description: "By tag",
        filter: "select(.tags | index($tag))",
        slurp: false,
        raw: true,
        params: { tag: "architecture" },
      },
    ],
    fields: ["id", "title"],
    createdAt,
    expiresAt: createdAt + CONTRACT_TTL_MS,
    scope: scopeOf("session one"),
    ...changes,
  };
}
