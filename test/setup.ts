import { afterAll } from "vitest";

import { undoAll } from "./after-file.js";

// Runs for each test file, also where files share their modules.
afterAll(undoAll);
