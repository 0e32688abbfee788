/**
 * A process of its own for tests: offloads 2,000 records into a directory and prints what became of
 * them. With `exhausted` it has no file descriptor left when it begins, with `warm` it has offloaded
 * once before.
 */
import { closeSync, openSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { largeOutput, listen } from "./large-output.js";

const [directory = "", ...modes] = process.argv.slice(2);
const { events, onEvent } = listen();
const offloader = createOffloader({ store: fileStore({ directory }), onEvent });
if (modes.includes("warm")) await offloader.offload(largeOutput());
const taken = modes.includes("exhausted") ? await takeAllDescriptors() : [];
events.length = 0;
const result = await offloader.offload(largeOutput());
for (const descriptor of taken) closeSync(descriptor);
process.stdout.write(
  JSON.stringify({
    outcome: result.outcome,
    text: result.outcome === "inline" ? undefined : result.text,
    descriptors: taken.length,
    events,
  }),
);

/** Takes what is free, and for a while what gets free: engines that start open and close files. */
async function takeAllDescriptors(): Promise<number[]> {
  const descriptors: number[] = [];
  for (let quietRounds = 0; quietRounds < 10; quietRounds += 1) {
    try {
      for (;;) {
        descriptors.push(openSync("/dev/null", "r"));
        quietRounds = 0;
      }
    } catch {
      await setTimeout(50);
    }
  }
  return descriptors;
}
