#!/usr/bin/env node
import { isatty } from "node:tty";

import type { Output } from "./call.js";
import { run } from "./run.js";

function outputTo(stream: NodeJS.WriteStream & { readonly fd: number }): Output {
  stream.on("error", () => undefined);
  return {
    isTerminal: isatty(stream.fd),
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

const err = outputTo(process.stderr);
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  input: process.stdin,
  out: outputTo(process.stdout),
  err: { ...err, write: (text) => err.write(text).catch(() => undefined) },
});
