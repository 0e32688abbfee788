import { createOffloader, memoryStore, type OffloadOptions } from "../../src/core.js";
import { metaCc, vectara } from "../../src/presets/index.js";

/** What a tool returned, as text. */
export interface RawOutput {
  readonly name: string;
  readonly text: string;
  readonly toolName?: string;
}

/** What the model sees in its place, and the bytes that are kept. */
export interface Described {
  readonly descriptor: string;
  readonly stored: string;
}

/** Ways in which an output is described. */
export const WAYS: Readonly<Record<string, () => OffloadOptions>> = {
  default: () => ({}),
  vectara: () => ({ preset: vectara() }),
  metaCc: () => ({ preset: metaCc() }),
};

/** Describes outputs in one way; documents are outlined in a worker. */
export async function describeAll(
  outputs: readonly RawOutput[],
  way: string,
): Promise<ReadonlyMap<string, Described>> {
  const offloader = createOffloader({
    ...WAYS[way]?.(),
    threshold: { tokens: 300 },
    store: memoryStore(),
  });
  const found = new Map<string, Described>();
  try {
    for (const { name, text, toolName = "get_data" } of outputs) {
      const result = await offloader.offload({ toolName, value: text, sessionId: name });
      if (result.outcome !== "offloaded") continue;
      const bytes = await offloader.store.read(result.storedArtifact);
      found.set(name, { descriptor: result.text, stored: new TextDecoder().decode(bytes) });
    }
  } finally {
    await offloader.close();
  }
  return found;
}
