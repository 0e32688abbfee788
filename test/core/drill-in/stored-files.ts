import { setsOf } from "../../../src/core/types/content.js";
import { identifyContent } from "../../../src/core/content/identify.js";
import type { OwnDrillIn, DrillInOptions } from "../../../src/core/drill-in/drill-in.js";
import type { DrillInLimits } from "../../../src/core/engines/limits.js";
import type { ArtifactStore, NewArtifact } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { newArtifactId, sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { ARTIFACT, drillInOver, NOW_MS } from "./stored-outputs.js";
import { newDirectory } from "../../after-file.js";

export const TTL_MS = 3_600_000;

/** A folder of real stored files, with a clock that tests move. */
export interface StoredFiles {
  readonly directory: string;
  nowMs: number;
  readonly store: ArtifactStore;
  /** Stores a tool output, laid out as its content is, for the session's scope. */
  put(text: string, sessionId: string): Promise<StoredArtifact>;
  /** Drill-ins of a process that has seen nothing of what is stored. */
  drillIn(limits?: Partial<DrillInLimits>, more?: Partial<DrillInOptions>): OwnDrillIn;
  /** Closes all drill-ins. */
  close(): Promise<void>;
}

export function createStoredFiles(): StoredFiles {
  const directory = newDirectory();
  const made: OwnDrillIn[] = [];
  const files: StoredFiles = {
    directory,
    nowMs: NOW_MS,
    store: fileStore({ directory, now: () => files.nowMs }),
    async put(text, sessionId) {
      const { body, ...content } = await identifyContent(text);
      const header = content.layout === "records" ? Buffer.from('{"type":"lro_header"}\n') : "";
      const id = newArtifactId(files.nowMs);
      const artifact: NewArtifact = {
        id,
        fileName: `atlatl-search-${id}.${content.layout === "records" ? "jsonl" : "txt"}`,
        ...ARTIFACT,
        kind: content.kind,
        layout: content.layout,
        sizeBytes: header.length + body.length,
        headerBytes: header.length,
        lineCount: content.lineCount + (header.length > 0 ? 1 : 0),
        recordCount: setsOf(content)[0]?.count,
        createdAt: files.nowMs,
        expiresAt: files.nowMs + TTL_MS,
        sessionKey: sessionKeyOf(sessionId),
      };
      return await files.store.put(artifact, [Buffer.from(header), body]);
    },
    drillIn(limits = {}, more = {}) {
      const now = (): number => files.nowMs;
      const drillIn = drillInOver(fileStore({ directory, now }), limits, { now, ...more });
      made.push(drillIn);
      return drillIn;
    },
    async close() {
      await Promise.all(made.map((drillIn) => drillIn.close()));
    },
  };
  return files;
}
