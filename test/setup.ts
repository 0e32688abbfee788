import { performance } from "node:perf_hooks";

import { afterAll, beforeAll, vi } from "vitest";

import { undoAll } from "./after-file.js";

// Both run for each test file, also where files share their modules.
beforeAll(() => {
  // A thread without time to spare: of the workers that are started ahead, half were never used.
  vi.spyOn(performance, "eventLoopUtilization").mockReturnValue({
    idle: 0,
    active: 1,
    utilization: 1,
  });
});
afterAll(undoAll);
