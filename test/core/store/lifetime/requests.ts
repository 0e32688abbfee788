import { setTimeout as wait } from "node:timers/promises";

import { createAgent } from "langchain";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../../../src/core/types/events.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { question, rowsTool } from "../../../adapters/large-outputs.js";

// A program that makes an agent and its middleware for each request; run with --expose-gc. Prints how many of them are left, and
// how many outputs were told to have expired.
const REQUESTS = 12;
// The hours between two sweeps pass in 20 ms.
const { setTimeout: later } = globalThis;
const soon = (...[run, ms = 0, ...rest]: Parameters<typeof later>): ReturnType<typeof later> =>
  later(run, ms > 600_000 ? 20 : ms, ...rest);
globalThis.setTimeout = Object.assign(soon, later);
const clock = { nowMs: Date.now() };
const now = (): number => clock.nowMs;
const made: WeakRef<object>[] = [];
let expired = 0;
const onEvent = ({ type }: OffloadEvent): void => {
  if (type === "expired") expired += 1;
};

async function answer(request: number): Promise<void> {
  const middleware = offloadMiddleware({ store: memoryStore({ now }), now, onEvent });
  made.push(new WeakRef(middleware));
  const model = scriptedModel([{ toolCalls: [{ name: "list_rows", args: {} }] }]);
  const agent = createAgent({ model, tools: [rowsTool()], middleware: [middleware] });
  await agent.invoke(question, { configurable: { thread_id: `request ${request}` } });
}

for (let request = 0; request < REQUESTS; request += 1) await answer(request);
for (let round = 0; round < 15; round += 1) {
  await wait(200);
  globalThis.gc?.();
}
const left = made.filter((one) => one.deref() !== undefined).length;
clock.nowMs += 3_600_000;
// Sweepers look once in 20 ms.
await wait(2_000);
process.stdout.write(JSON.stringify({ left, expired }));
