import { afterAll, afterEach } from "vitest";

import type { OffloadEvent } from "../src/core/types/events.js";
import { createOffloader, type Offloader } from "../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import { memoryStore } from "../src/core/store/memory.js";

/** An offloader and what it has told so far. */
interface Opened {
  readonly offloader: Offloader;
  readonly events: OffloadEvent[];
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

/** An offloader for all tests of a file, in memory unless a store is given. */
export function sharedOffloader(options?: OffloadOptions): Offloader {
  const offloader = createOffloader({ store: memoryStore(), ...options });
  afterAll(() => offloader.close());
  return offloader;
}
