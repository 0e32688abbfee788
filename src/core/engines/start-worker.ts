import { Worker } from "node:worker_threads";

import type { RunStatus } from "./run-status.js";

import type { DrillInLimits } from "./limits.js";

/**
 * Starts a worker from its source, which is part of this module's program: no file has to be found, so it starts the
 * same way wherever the package is bundled to. It has nothing of the host, and bounded memory.
 *
 * @param given - What it has as `workerData` beside its status.
 */
export function startWorker(
  source: string,
  limits: Pick<DrillInLimits, "maxMemoryMb">,
  runStatus: RunStatus,
  given?: object,
): Worker {
  return new Worker(source, {
    eval: true,
    workerData: { ...given, runStatus },
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    // Taken away from this process's own and never read: reading them would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limits.maxMemoryMb,
      maxYoungGenerationSizeMb: Math.max(1, Math.min(32, limits.maxMemoryMb / 4)),
    },
  });
}
