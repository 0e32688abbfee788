import { createOffloader, type Offloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
import { type MemoryJournal, memoryJournal } from "./memory-journal.js";

/** A session with outputs in a store and entries in a journal. */
export interface SampleSession {
  readonly journal: MemoryJournal;
  readonly offloader: Offloader;
  readonly sessionKey: string;
  /** Walks one more output, and notes what happens. */
  output(toolName: string, value: unknown): Promise<string | undefined>;
  /** Asks one of the outputs. */
  read(tool: "jq" | "grep" | "read", args: object): Promise<void>;
  /** Notes a call of the model with all that has happened so far in its context. */
  call(): void;
  close(): Promise<void>;
}

/** Runs an offloader over a directory, and writes what a journal would. */
export function sampleSession(directory: string, sessionId = "sample"): SampleSession {
  const journal = memoryJournal();
  const sessionKey = sessionKeyOf(sessionId);
  const parts: Record<string, number> = { system: 900, definitions: 640, human: 120, ai: 0 };
  let without = 1020;
  let calls = 0;
  const now = Date.now;
  const note = (event: OffloadEvent): void => {
    const entry = { ...event, at: now(), session: sessionKey };
    if (event.type === "offloaded") {
      const { recipes: _, fields: __, sessionKey: ___, args, ...artifact } = event.storedArtifact;
      const asked = args && { arguments: { text: JSON.stringify(args) } };
      journal.add({ ...entry, artifact: { ...artifact, ...asked } } as never);
      grow("descriptor", event.descriptorTokens, event.storedArtifact.tokens);
    } else if (event.type === "drilled-in") {
      journal.add(entry);
      grow("drill-in", event.answerTokens, 0);
    } else journal.add(entry);
  };
  const offloader = createOffloader({ store: fileStore({ directory }), onEvent: note });

  function grow(part: string, tokens: number, whole: number): void {
    parts[part] = (parts[part] ?? 0) + tokens;
    without += whole;
  }

  return {
    journal,
    offloader,
    sessionKey,
    async output(toolName, value) {
      const result = await offloader.offload({ toolName, value, sessionId });
      if (result.outcome === "offloaded") return result.storedArtifact.id;
      const sizeBytes = Buffer.byteLength(JSON.stringify(value));
      journal.add({
        type: "stayed-inline",
        toolName,
        kind: "json",
        sizeBytes,
        keptBlocks: 0,
        at: now(),
        session: sessionKey,
      } as never);
      grow("result", Math.ceil(sizeBytes / 4), Math.ceil(sizeBytes / 4));
      return undefined;
    },
    async read(tool, args) {
      await offloader.drillIn.run(tool, args, { sessionKey });
    },
    call() {
      calls += 1;
      grow("ai", 180, 180);
      const contextTokens = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
      const shown = Object.entries(parts).map(([part, tokens]) => [part, { messages: 1, tokens }]);
      journal.add({
        type: "model-called",
        call: calls,
        parts: Object.fromEntries(shown),
        contextTokens,
        withoutTokens: without,
        windowTokens: 128_000,
        largest: [],
        at: now(),
        session: sessionKey,
      } as never);
    },
    close: () => offloader.close(),
  };
}
