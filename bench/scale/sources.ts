import { randomBytes } from "node:crypto";

import type { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { ArtifactStore, NewArtifact } from "../../src/core/store/artifact-store.js";
import type { sessionKeyOf } from "../../src/core/store/naming.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/core/types/artifact.js";
import type { Opening } from "./messages.js";
import { type Kind, type Question, textOf } from "./mix.js";

/** What the agents of a process do with outputs. `undefined` or a text is a success or a fault. */
export interface SourcePolicy<Output> {
  /** Makes an output, whose time is nobody's. */
  make(kind: Kind, bytes: number, session: string): Output;
  store(output: Output, session: string): Promise<StoredArtifact | string>;
  drillIn(
    artifact: StoredArtifact,
    session: string,
    question: Question,
  ): Promise<string | undefined>;
  close(): Promise<void>;
}

interface Core {
  readonly createOffloader: typeof createOffloader;
  readonly sessionKeyOf: typeof sessionKeyOf;
}

/** The library as agents have it: the pipeline in, the drill-in tools out, the sweeps beside them. */
export async function offloaderDoor(
  store: ArtifactStore,
  opening: Opening,
): Promise<SourcePolicy<string>> {
  const { ttlMs, sweepIntervalMs } = opening;
  const core: Core = await import(new URL("../../dist/core.js", import.meta.url).href);
  const offloader = core.createOffloader({
    store,
    // 2 KB are above it.
    threshold: { tokens: 300 },
    retention: { ttlMs },
  });
  const sweeper = setInterval(() => void offloader.sweep(), sweepIntervalMs);
  const { drillIn } = offloader;
  const ask = (question: Question, artifact: StoredArtifact, sessionKey: string) => {
    const { id, lineCount, recordCount } = artifact;
    const middle = lineCount >> 1;
    if (question === "read") return drillIn.run("read", { id }, { sessionKey });
    if (question === "grep")
      return drillIn.run("grep", { id, pattern: "ERROR|Cairo" }, { sessionKey });
    if (question === "read a part" || recordCount === undefined) {
      return drillIn.run("read", { id, start_line: middle, end_line: middle + 20 }, { sessionKey });
    }
    return drillIn.run("jq", { id, filter: 'select(.city == "Lima") | .note' }, { sessionKey });
  };
  return {
    make: (kind, bytes, session) =>
      textOf(kind, bytes, `${session} ${randomBytes(6).toString("hex")}`),
    async store(value, sessionId) {
      const result = await offloader.offload({ toolName: "search", value, sessionId });
      if (result.outcome === "offloaded") return result.storedArtifact;
      return result.outcome === "truncated" ? String(result.error) : "It stayed.";
    },
    async drillIn(artifact, session, question) {
      const answer = await ask(question, artifact, core.sessionKeyOf(session));
      return answer.failed ? `${question}: ${answer.text}` : undefined;
    },
    close() {
      clearInterval(sweeper);
      return offloader.close();
    },
  };
}

/** The store alone: what is left when the work of the agents' processes is taken away. */
export function storeDoor(store: ArtifactStore, opening: Opening): SourcePolicy<Bare> {
  const { ttlMs, sweepIntervalMs } = opening;
  const filling = Buffer.alloc(20_100_000, "what a tool has answered, ");
  const sweeper = setInterval(() => {
    store.sweep(Date.now()).catch(() => undefined);
  }, sweepIntervalMs);
  return {
    make(kind, bytes) {
      const createdAt = Date.now();
      const artifact = contractArtifact(bytes, { createdAt, expiresAt: createdAt + ttlMs });
      return { artifact, body: filling.subarray(0, bytes) };
    },
    store: ({ artifact, body }) =>
      store.put(artifact, [body]).catch((error: unknown) => String(error)),
    async drillIn(artifact, _session, question) {
      const { sizeBytes: end } = artifact;
      const start = question === "read" || question === "read a part" ? Math.max(0, end - 8192) : 0;
      try {
        await store.read(artifact, { start, end: Math.min(end, start + 4_194_304) });
      } catch (error) {
        return String(error);
      }
    },
    close: async () => clearInterval(sweeper),
  };
}

interface Bare {
  readonly artifact: NewArtifact;
  readonly body: Buffer;
}
