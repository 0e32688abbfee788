import { readdirSync } from "node:fs";

import { createSegmentWriter } from "../../../src/plugins/journal/file/segment-writer.js";

/** Writes batches of so many lines of 1,000 bytes, one after another, and prints how often a write failed. */
const [directory = "", ...batches] = process.argv.slice(2);
const writer = createSegmentWriter(directory, { maxAgeMs: 1e9, maxBytes: 67_108_864 });
const line = `${"x".repeat(999)}\n`;
let failed = 0;
let most = 0;
for (const lines of batches.map(Number)) {
  await writer.write(Buffer.from(line.repeat(lines))).catch(() => (failed += 1));
  most = Math.max(most, readdirSync(directory).length);
}
await writer.close();
process.stdout.write(JSON.stringify({ failed, most }));
