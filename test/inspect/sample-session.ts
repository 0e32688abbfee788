import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
import { journalTo } from "../../src/plugins/journal/journal.js";
import { type MemoryJournal, memoryJournal } from "./memory-journal.js";

/** A session with outputs in a store and entries in a journal. */
export interface SampleSession {
  readonly journal: MemoryJournal;
  readonly sessionKey: string;
  /** Offloads one more output, and gives its id where it was stored. */
  output(toolName: string, value: unknown): Promise<string | undefined>;
  /** Asks one of the outputs. */
  read(tool: "jq" | "grep" | "read", args: object): Promise<void>;
  /** Notes a call of the model. */
  call(): void;
  close(): Promise<void>;
}

/** Runs an offloader over a directory, with a journal in memory. */
export function sampleSession(directory: string, sessionId = "sample"): SampleSession {
  const journal = memoryJournal();
  const sessionKey = sessionKeyOf(sessionId);
  const append = (entry: object): void => journal.add(entry as never);
  const offloader = createOffloader({
    store: fileStore({ directory }),
    plugins: [journalTo({ append })],
  });
  let call = 0;
  return {
    journal,
    sessionKey,
    async output(toolName, value) {
      const result = await offloader.offload({ toolName, value, sessionId });
      return result.outcome === "offloaded" ? result.storedArtifact.id : undefined;
    },
    async read(tool, args) {
      await offloader.drillIn.run(tool, args, { sessionKey });
    },
    call() {
      call += 1;
      const parts = { system: 900, ai: 180 };
      const context = { contextTokens: 1080, withoutTokens: 9000, windowTokens: 128_000 };
      const at = Date.now();
      append({ v: 1, at, session: sessionKey, type: "model-called", call, parts, ...context });
    },
    close: () => offloader.close(),
  };
}
