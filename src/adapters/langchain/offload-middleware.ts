import { type AgentMiddleware, createMiddleware } from "langchain";

import { callback } from "../../util/option-rules.js";
import { createAgentCalls } from "./agent-calls.js";
import { createDrillInTools } from "./drill-in-tools.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { offloadState, sessionOfTool, type SessionRule, startSession } from "./run/session.js";
import type { JsonObject } from "../../util/is-record.js";

/** Options of the middleware and of its offloader. */
export type OffloadMiddlewareOptions = GivenOffloader & {
  /**
   * Gives the agent its own session in place of the thread that a sub-agent inherits from its
   * parent. The agent reaches what it stored there, what its thread holds, and what `access` lets it
   * read. Called each time the agent begins; an error it throws fails the run.
   * @remarks Set it when a sub-agent must not read all that its parent stored.
   * @defaultValue none: the session is the thread
   */
  readonly session?: SessionRule;
};

/**
 * Middleware for `createAgent` that keeps large tool outputs out of the context. It stores them, shows the model a
 * descriptor, and adds the drill-in tools. List it first, so that retries and limits work on the raw output and
 * offloading takes the result. Artifacts belong to the thread (`configurable.thread_id`); without one, to the
 * single invocation. `configurable.offload` overrides options for one run: `{ enabled, threshold, form }`. Outputs of
 * tools with `returnDirect` are never offloaded, because they answer the user and not the model. Events of a run are on
 * LangGraph's custom stream, under the key `langchain-offload`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadMiddleware(options: OffloadMiddlewareOptions = {}): AgentMiddleware {
  const { offloader, isShared, own } = givenOffloader<Pick<OffloadMiddlewareOptions, "session">>(
    "offloadMiddleware",
    options,
    { session: callback.optional() },
  );
  const drillInTools = createDrillInTools(offloader);
  const calls = createAgentCalls(offloader, drillInTools, isShared);

  return createMiddleware({
    name: "offload",
    // The hooks' types know only the built-in state.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    stateSchema: offloadState as never,
    tools: drillInTools,
    async beforeAgent(state, runtime) {
      const started = await startSession(own.session, { ...runtime, state });
      const sessionId = sessionOfTool({ ...runtime, state: { ...state, ...started } });
      let update: JsonObject | undefined = started;
      for (const hook of calls.hooks) {
        const added = await hook.beforeAgent?.({ state, runtime, sessionId });
        if (added !== undefined) update = { ...update, ...added };
      }
      // For a field that a hook leaves out, LangChain would write and stream the whole state again.
      return update && { messages: [], _offloads: {}, ...update };
    },
    wrapModelCall: calls.callModel,
    wrapToolCall: calls.callTool,
  });
}
