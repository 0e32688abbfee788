import { AsyncResource } from "node:async_hooks";

const resource = new AsyncResource("langchain-offload");

/**
 * For timers and workers that outlive a run: started inside it, they would keep its async context
 * alive, with the agent and its messages.
 */
export function outsideOfRuns<Result>(start: () => Result): Result {
  return resource.runInAsyncScope(start);
}
