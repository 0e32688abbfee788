import { createHook } from "node:async_hooks";

import { afterAll } from "vitest";

/** Counts requests to the file system, each of them a resource of the event loop, until the tests of a file have ended. */
export function countFileCalls(): () => number {
  let calls = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === "FSREQPROMISE" || type === "FSREQCALLBACK") calls += 1;
    },
  }).enable();
  afterAll(() => hook.disable());
  return () => calls;
}
