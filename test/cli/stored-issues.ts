import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { newArtifactId } from "../../src/core/store/naming.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";
import type { ToolOutput } from "../../src/core/types/output.js";

export const ISSUES_ID = "01KDX0ABCDEFGHJKMNPQRSTVWX";
export const LOG_ID = "01KDX07BCDEFGHJKMNPQRSTVWX";
const WORDS = ["cache", "parser", "socket"];

/** 420 issues, a third of them about a cache. */
export const ISSUES: readonly object[] = Array.from({ length: 420 }, (_, index) => ({
  number: index + 1,
  title: `${WORDS[index % 3]} is stale`,
  state: index % 2 === 0 ? "open" : "closed",
}));

const LOG = Array.from(
  { length: 600 },
  (_, index) => `2026-01-02 03:04:05 INFO request ${index} timeout`,
).join("\n");

/** Stores an output as an agent does, under an id that is known beforehand. */
export async function storeOutput(
  directory: string,
  output: Pick<ToolOutput, "toolName" | "value"> & Partial<ToolOutput>,
  id: string = newArtifactId(Date.now()),
): Promise<StoredArtifact> {
  const store = memoryStore();
  const offloader = createOffloader({ store });
  try {
    const result = await offloader.offload({ sessionId: "thread-1", ...output });
    if (result.outcome !== "offloaded") throw new Error(`The output stays ${result.outcome}.`);
    const { storedArtifact } = result;
    const body = await store.read(storedArtifact);
    const { filePath: _, ...artifact } = storedArtifact;
    const fileName = artifact.fileName.replace(artifact.id, id);
    return await fileStore({ directory }).put({ ...artifact, id, fileName }, [body]);
  } finally {
    await offloader.close();
  }
}

/** Two outputs of one session, and one that has expired. */
export async function storeIssues(directory: string): Promise<void> {
  await storeOutput(directory, { toolName: "search_issues", value: ISSUES }, ISSUES_ID);
  await storeOutput(directory, { toolName: "read_log", value: LOG }, LOG_ID);
  const createdAt = Date.now() - 7_200_000;
  await fileStore({ directory }).put(contractArtifact(23, { createdAt }), [new Uint8Array(23)]);
}
