import { AsyncResource } from "node:async_hooks";

const resource = new AsyncResource("langchain-offload");

/**
 * Calls a function outside of whatever run is under way, for what it starts that outlives the run: a timer or a worker holds the
 * context in which it was started, and with it an agent, its messages and all that it closes over.
 */
export function outsideOfRuns<Result>(start: () => Result): Result {
  return resource.runInAsyncScope(start);
}
