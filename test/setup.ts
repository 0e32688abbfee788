import { performance } from "node:perf_hooks";

import { afterAll } from "vitest";

import { undoAll } from "./after-file.js";

// A thread without time to spare: of the workers that are started ahead, half were never used.
performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 1 });
// For each test file, also where files share their modules.
afterAll(undoAll);
