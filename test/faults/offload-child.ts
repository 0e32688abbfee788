/**
 * A process of its own for tests: offloads 2,000 records into a directory and prints what became of
 * them. With `exhausted` it has no file descriptor left when it begins, with `warm` it has offloaded
 * once before.
 */
import { closeSync, openSync } from "node:fs";
import { createOffloader } from "../../src/offload.js";
import { fileStore } from "../../src/store/file.js";
import { largeOutput, listen } from "./large-output.js";

const [directory = "", ...modes] = process.argv.slice(2);
const { events, onEvent } = listen();
const offloader = createOffloader({ store: fileStore({ directory }), onEvent });
if (modes.includes("warm")) await offloader.offload(largeOutput());
const taken = modes.includes("exhausted") ? takeAllDescriptors() : [];
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

function takeAllDescriptors(): number[] {
  const descriptors: number[] = [];
  try {
    for (;;) descriptors.push(openSync("/dev/null", "r"));
  } catch {
    return descriptors;
  }
}
