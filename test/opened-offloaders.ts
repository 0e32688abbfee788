import { afterEach } from "vitest";

import type { OffloadEvent } from "../src/core/types/events.js";
import { createOffloader, type Offloader } from "../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import type { StoredArtifact } from "../src/core/types/artifact.js";
import { memoryStore } from "../src/core/store/memory.js";

/** An offloader and what it has told so far. */
interface Opened {
  readonly offloader: Offloader;
  readonly events: OffloadEvent[];
}

interface Stored {
  readonly artifact: StoredArtifact;
  readonly text: string;
  readonly descriptorTokens: number;
  readonly body: Buffer;
}

/** Makes offloaders, in memory unless a store is given, and closes them after each test. */
export function openedOffloaders(): (options?: OffloadOptions) => Opened {
  const opened: Offloader[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((offloader) => offloader.close()));
  });
  return (options) => {
    const events: OffloadEvent[] = [];
    const onEvent = (event: OffloadEvent): void => void events.push(event);
    const offloader = createOffloader({ store: memoryStore(), onEvent, ...options });
    opened.push(offloader);
    return { offloader, events };
  };
}

/** What became of a value that has to be stored, and its bytes behind the header. */
export async function stored(offloader: Offloader, value: unknown): Promise<Stored> {
  const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  if (result.outcome !== "offloaded") throw new Error(`got ${result.outcome}`);
  const { storedArtifact: artifact, text, descriptor } = result;
  const range = { start: artifact.headerBytes, end: artifact.sizeBytes };
  const body = Buffer.from(await offloader.store.read(artifact, range));
  return { artifact, text, descriptorTokens: descriptor.tokens, body };
}
