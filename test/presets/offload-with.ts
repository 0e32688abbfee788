import { modelTools } from "../../src/core/drill-in/model-tools.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
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
  /** Calls a tool of the preset as the model does. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
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
  const result = await offloader.offload({
    toolName,
    value,
    args,
    sessionId: SESSION,
    conversation,
  });
  const stored = result.outcome === "offloaded" ? result.storedArtifact : undefined;
  return {
    result,
    text: result.text ?? value,
    id: stored?.id ?? "",
    fileName: stored?.fileName ?? "",
    body: stored === undefined ? "" : new TextDecoder().decode(await offloader.store.read(stored)),
    call: async (name, given) => {
      const tools = modelTools({ ...offloader.options, ...offloader, options: offloader.options });
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`no tool ${name} here`);
      const { text } = await tool.run(given, { sessionKey: sessionKeyOf(SESSION) });
      await offloader.close();
      return text;
    },
  };
}
