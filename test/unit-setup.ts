import { afterAll, afterEach, expect } from "vitest";

import { failOnStarts, MAY_START, takeStarts } from "./unit-guard.js";

// oxlint-disable-next-line vitest/no-standalone-expect -- It is asked for the name of the file.
const mayStart = expect.getState().testPath?.endsWith(MAY_START) ?? false;
const check = (): void => void (mayStart ? takeStarts() : failOnStarts());
// What the file before has left to end.
takeStarts();
// Before any other hook, so they run after what the tests close.
afterEach(check);
afterAll(check);
