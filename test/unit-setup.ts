import { afterAll, afterEach } from "vitest";

import { failOnStarts, takeStarts } from "./unit-guard.js";

// What the file before has left to end.
takeStarts();
// Before any other hook, so they run after what the tests close.
afterEach(failOnStarts);
afterAll(failOnStarts);
