import { type AgentMiddleware, createMiddleware } from "langchain";

import { OffloadError } from "../errors.js";
import { ownToolNames } from "../options.js";
import { conversationSize, createContextWindows } from "./conversation.js";
import { resolveArguments } from "./references.js";
import { customStream } from "./custom-stream.js";
import { createDefinitionCounter } from "./definition-tokens.js";
import { createDrillInTools } from "./drill-in-tools.js";
import { failureMessage } from "./failure-message.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { hasOffloads, recordGrants } from "./grant.js";
import { overridesOf } from "./run-overrides.js";
import { offloadState, sessionOfTool, startSession } from "./session.js";
import { readingStreams } from "./tool-calls.js";
import { asToolError } from "./tool-errors.js";
import { offloadToolResult } from "./tool-message.js";
import { inTurn } from "./turn.js";
import { createShownTools } from "./widened-tool.js";

/** Options of the middleware, and those of its offloader. */
export interface OffloadMiddlewareOptions extends GivenOffloader {
  /**
   * When the model is shown the drill-in tools: in every call, or from the first offloaded output of
   * its conversation on. A list of tools that changes makes a provider's prompt cache start anew; for
   * conversations that seldom offload, the second saves the tools' definitions. The agent can run
   * the tools either way.
   *
   * @defaultValue `"always"`
   */
  readonly registerTools?: "always" | "after-first-offload";
}

/**
 * Middleware for `createAgent` that keeps large tool outputs out of the context: it stores them,
 * shows the model a descriptor, and gives it the drill-in tools. List it first, so that retries,
 * limits and redaction work on the raw output and what they leave is offloaded.
 *
 * Artifacts belong to the thread (`configurable.thread_id`); without one, to the single invocation.
 * `configurable.offload` and `context.offload` override options for one run, a tool's
 * `metadata.offload` for its calls: `{ enabled, threshold, form }`, or `false`.
 * Tools with `returnDirect` are passed on: their output is the user's answer, not the model's input.
 * Events of a run are on LangGraph's custom stream, under the key `langchain-offload`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function offloadMiddleware(options: OffloadMiddlewareOptions = {}): AgentMiddleware {
  const { registerTools = "always", ...given } = options;
  checkRegisterTools(registerTools);
  const offloader = givenOffloader(given);
  const ownTools = new Set(ownToolNames(offloader.options));
  const windows = createContextWindows();
  const { references } = offloader.options;
  const shown = createShownTools(references);
  const definitionTokens = createDefinitionCounter(ownTools);

  return createMiddleware({
    name: "offload",
    stateSchema: offloadState,
    tools: createDrillInTools(offloader),
    beforeAgent: (_state, runtime) => startSession(runtime),
    wrapModelCall(request, handler) {
      const { configurable } = request.runtime;
      const sessionId = sessionOfTool({ configurable, state: request.state });
      windows.note(sessionId, request.model);
      const isRegistered = registerTools === "always" || hasOffloads(request.state);
      const isChanged = !isRegistered || references !== undefined;
      const tools = request.tools.filter(({ name }) => isRegistered || !ownTools.has(String(name)));
      const asShown = isChanged ? tools.map(shown) : tools;
      if (sessionId !== undefined) {
        offloader.toolsShown(sessionId, definitionTokens(tools, asShown));
      }
      return handler(isChanged ? { ...request, tools: asShown } : request);
    },
    async wrapToolCall(request, handler) {
      const { toolCall, tool, state, runtime } = request;
      const begun = { toolCallId: toolCall.id, signal: runtime.signal };
      return await inTurn(offloader, state.messages, begun, async (turn) => {
        const referred = await resolveArguments(offloader, {
          toolName: toolCall.name,
          tool,
          args: toolCall.args,
          configurable: runtime.configurable,
          state,
          signal: runtime.signal,
        });
        if (referred?.problem !== undefined) {
          return failureMessage(referred.problem, toolCall.name, toolCall.id ?? "");
        }
        const called =
          referred === undefined
            ? request
            : { ...request, toolCall: { ...toolCall, args: referred.args } };
        const sessionId = sessionOfTool({ configurable: runtime.configurable, state });
        if (ownTools.has(toolCall.name) || returnsDirect(tool) || sessionId === undefined) {
          return await callTool(() => handler(called), request);
        }
        const call = {
          toolName: toolCall.name,
          args: toolCall.args,
          sessionId,
          ...turn,
          conversation: conversationSize(state.messages, windows.of(sessionId)),
          overrides: overridesOf(runtime, tool),
          onEvent: customStream(runtime),
        };
        const reading = tool && { tool: readingStreams(tool, offloader, call) };
        const result = await callTool(() => handler({ ...called, ...reading }), request);
        return recordGrants(await offloadToolResult(offloader, result, call));
      });
    },
  });
}

function checkRegisterTools(given: unknown): void {
  if (given === "always" || given === "after-first-offload") return;
  throw new OffloadError(
    "INVALID_OPTIONS",
    `registerTools is "always" or "after-first-offload", got ${JSON.stringify(given)}.`,
  );
}

async function callTool<Result>(
  call: () => Result,
  request: Parameters<typeof asToolError>[1],
): Promise<Awaited<Result>> {
  try {
    return await call();
  } catch (error) {
    throw asToolError(error, request);
  }
}

function returnsDirect(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && Reflect.get(tool, "returnDirect") === true;
}
