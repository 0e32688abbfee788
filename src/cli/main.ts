#!/usr/bin/env node
import { run } from "./run.js";

// A reader that ends early, such as `head`, is no fault of this command.
process.stdout.on("error", () => undefined);
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  nowMs: Date.now(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
