import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { memoryStore } from "../../src/core/store/memory.js";
import type { OffloadResult } from "../../src/core/types/result.js";

/** 27 July 2025, 09:30:45 UTC: the time in the seeds' file names. */
export const NOW_MS: number = Date.UTC(2025, 6, 27, 9, 30, 45);
const SESSION = "session-1";
/** A preset with a clock and a store of the test's own. */
const offloadOptions = (preset: OffloadOptions): OffloadOptions => ({
  ...preset,
  store: memoryStore({ now: () => NOW_MS }),
  now: () => NOW_MS,
});

/** What came of one output. */
export interface Offloaded {
  readonly result: OffloadResult;
  /** What the model sees. */
  readonly text: string;
  readonly id: string;
  readonly fileName: string;
  /** The stored bytes as text. */
  readonly body: string;
}

/** The offloadWith of one output through a preset, stored in memory. */
export async function offloadWith(
  preset: OffloadOptions,
  value: string,
  around: {
    readonly toolName?: string;
    readonly args?: Readonly<Record<string, unknown>>;
    readonly tokens?: number;
    readonly contextWindowTokens?: number;
  } = {},
): Promise<Offloaded> {
  const { toolName = "search", args = {}, tokens, contextWindowTokens } = around;
  const offloader = createOffloader(offloadOptions(preset));
  const conversation = { tokens, contextWindowTokens };
  const output = { toolName, value, args, sessionId: SESSION, conversation };
  const result = await offloader.offload(output);
  const stored = result.outcome === "offloaded" ? result.storedArtifact : undefined;
  return {
    result,
    text: result.text ?? value,
    id: stored?.id ?? "",
    fileName: stored?.fileName ?? "",
    body: stored === undefined ? "" : new TextDecoder().decode(await offloader.store.read(stored)),
  };
}
