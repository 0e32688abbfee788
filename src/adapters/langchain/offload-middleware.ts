import { type AgentMiddleware, createMiddleware } from "langchain";

import * as z from "zod";

import { agedRequest } from "./aging/aged-request.js";
import { withCallableTools } from "./code/callable-lines.js";
import { runCodeOfAgent } from "./code/run-code.js";
import { callback, checkedOptions, objectOf, optionsOf } from "../../util/option-rules.js";
import { ownToolNames } from "../../core/options/resolve-options.js";
import type { OffloadOptions, ShowTools } from "../../core/options/options.js";
import { contextWindowsOf, conversationSize } from "./model-call/conversation.js";
import { resolveArguments } from "./references/references.js";
import { noteViews } from "./media/model-views.js";
import { inUserMessages } from "./media/user-views.js";
import { createToolsOfCalls } from "./model-call/tools-of-calls.js";
import { createModelCallRecorder } from "./model-call/recorded-model-call.js";
import { createDefinitionCounter } from "./model-call/definition-tokens.js";
import { createDrillInTools } from "./drill-in-tools.js";
import { failureMessage } from "./tool/errors/failure-message.js";
import { internals } from "../../core/pipeline/offloader.js";
import { type GivenOffloader, givenOffloader } from "./given-offloader.js";
import { recordStored } from "./run/carried.js";
import { checkHumanMessages, type HumanMessageOptions, replaceLong } from "./human-messages.js";
import type { CallSite } from "./run/call-site.js";
import { type SessionRule, startOwnSession } from "./run/own-session.js";
import { type ToolRun, startCall } from "./run/tool-run.js";
import { accessAt, offloadState, sessionOfTool, startSession } from "./run/session.js";
import { createCallArguments } from "./tool/call-argument.js";
import { returnsDirect } from "./tool/around-call.js";
import { throwingOwn } from "./tool/errors/own-error.js";
import { readingStreams } from "./tool/tool-calls.js";
import { tellUnknownTools } from "./tool/tell-unknown-tools.js";
import { redactedFault } from "./tool/errors/redacted-error.js";
import { asToolError } from "./tool/errors/tool-errors.js";
import { shownTools } from "./references/shown-tools.js";
import { offloadToolResult } from "./tool/tool-message.js";
import { inTurn } from "./run/turn.js";
import { isStrictCall } from "./references/reference-schema.js";
import { createReferenceRules } from "./references/reference-rules.js";
import { withStatements } from "./references/stated-references.js";

/** Options of the middleware, and those of its offloader. */
export type OffloadMiddlewareOptions = GivenOffloader<Omit<OffloadOptions, "showTools">> & {
  /**
   * When the model is shown the drill-in tools; beside `offloader` it stands in for what that one's options say.
   *
   * @remarks Set it when most conversations never offload.
   * @defaultValue `"always"`
   */
  readonly showTools?: ShowTools;
  /**
   * Long messages of the user are stored as well, before the model first sees them: their beginning and end stay,
   * with a descriptor between them. `{ threshold: { tokens: 8000 } }`, from 1,000 up.
   *
   * @remarks Set it when users paste files.
   * @defaultValue none: messages of the user stay as they are
   */
  readonly humanMessages?: HumanMessageOptions;
  /**
   * Gives the agent a session of its own, in place of the thread that a sub-agent has from its parent: it reaches what
   * it stored there, and what `access` lets it read. Called each time the agent begins; what it throws fails the run.
   *
   * @remarks Set it when a sub-agent is not to read all that its parent stored.
   * @defaultValue none: the session is the thread
   */
  readonly session?: SessionRule;
};

const schema = optionsOf({
  showTools: z.enum(["always", "after-first-offload"]).optional(),
  session: callback.optional(),
});

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
  const {
    showTools: asked,
    humanMessages,
    session: askedSession,
    ...given
  } = objectOf("offloadMiddleware", options);
  const stated = checkedOptions<OffloadMiddlewareOptions>("offloadMiddleware", schema, {
    showTools: asked,
    session: askedSession,
  });
  const offloader = givenOffloader(given, {
    factory: "offloadMiddleware",
    own: ["showTools", "humanMessages", "session"],
  });
  const longMessages = humanMessages && checkHumanMessages(humanMessages, offloader);
  const { showTools = offloader.options.showTools, session } = stated;
  const ownTools = new Set(ownToolNames(offloader.options));
  const windows = contextWindowsOf(offloader);
  const { references } = offloader.options;
  const rules = createReferenceRules(references, ownTools);
  const argument = createCallArguments(offloader);
  const toolsOfCalls = createToolsOfCalls();
  const definitionTokens = createDefinitionCounter(ownTools);
  const drillInTools = createDrillInTools(offloader);
  const showsFiles = offloader.options.toolNames.view !== undefined;
  const recordModelCall = createModelCallRecorder(offloader);
  let isTold = false;

  return createMiddleware({
    name: "offload",
    stateSchema: offloadState,
    tools: drillInTools,
    async beforeAgent(state, runtime) {
      const { configurable, context } = runtime;
      const started =
        (session && (await startOwnSession(session, { configurable, context, state }))) ??
        startSession(runtime);
      const sessionId = sessionOfTool({ configurable, state: { ...state, ...started } });
      const replaced =
        longMessages && sessionId
          ? await replaceLong(offloader, {
              state,
              config: runtime,
              sessionId,
              options: longMessages,
            })
          : [];
      if ((started ?? replaced[0]) === undefined) return undefined;
      return {
        ...started,
        // Of what a hook leaves out LangChain writes and streams again all that the state has.
        messages: replaced.map(({ message }) => message),
        _offloads: Object.fromEntries(replaced.map(({ stored }) => [stored.id, stored.scope])),
      };
    },
    async wrapModelCall(incoming, handler) {
      const { configurable, context } = incoming.runtime;
      const sessionId = sessionOfTool({ configurable, state: incoming.state });
      windows.note(sessionId, incoming.model);
      noteViews(offloader, sessionId, incoming.model);
      const aged = await agedRequest(offloader, incoming, sessionId);
      const { request } = aged;
      const site = { configurable, context, state: request.state };
      const hasAccess = accessAt(offloader, site) !== undefined;
      if (!isTold && request.tools.some(({ name }) => !ownTools.has(String(name)))) {
        isTold = true;
        tellUnknownTools(offloader, request.tools, given.offloader !== undefined);
      }
      const tools = withCallableTools(
        shownTools(request, { drillInTools, showTools, hasAccess }),
        offloader,
      );
      const isStrict = isStrictCall(request);
      const referring = references === undefined || isStrict ? tools : rules.shown(tools);
      const asShown = argument === undefined || isStrict ? referring : argument.shown(referring);
      const added = sessionId === undefined ? 0 : definitionTokens(tools, asShown);
      if (sessionId !== undefined) {
        const takeReferences = referring.some((tool, index) => tool !== tools[index]);
        internals(offloader).toolsShown(sessionId, { definitionTokens: added, takeReferences });
      }
      const isSame =
        request === incoming &&
        asShown.length === request.tools.length &&
        asShown.every((tool, index) => tool === request.tools[index]);
      const prepared = isSame ? request : { ...request, tools: [...asShown] };
      const { messages, systemMessage } = request;
      const answer = await recordModelCall(
        { sessionId, messages, systemMessage, definitionTokens: added },
        () => handler(showsFiles ? inUserMessages(prepared) : prepared),
      );
      toolsOfCalls.note(answer, sessionId, request.tools);
      await aged.write();
      return references === undefined
        ? answer
        : await withStatements(answer, { offloader, rules, tools, site });
    },
    async wrapToolCall(request, handler) {
      const { toolCall, state, runtime } = request;
      const { configurable, context, signal, writer } = runtime;
      const { name: toolName, args, id: toolCallId } = toolCall;
      const sessionId = sessionOfTool({ configurable, state });
      const toolOf = (name: string): object | undefined =>
        toolsOfCalls.find({ sessionId, toolCallId }, name);
      // Another middleware may bring the tool after this one.
      const tool = request.tool ?? toolOf(toolName);
      const called = { tool, toolName, args, toolCallId };
      const site: CallSite = { configurable, context, state, signal, writer, ...called };
      return await inTurn(offloader, site, async (turn) => {
        const taken = rules.takenBy(toolName, tool);
        const referred = taken && (await resolveArguments(offloader, site, taken));
        if (referred?.problem !== undefined) {
          return failureMessage(referred.problem, toolName, toolCallId ?? "");
        }
        const given = referred?.args ?? args;
        const own = argument?.without(given, { tool }) ?? given;
        const called =
          own === args ? request : { ...request, toolCall: { ...toolCall, args: own } };
        if (ownTools.has(toolName) || returnsDirect(tool) || sessionId === undefined) {
          const isCode = toolName === offloader.options.toolNames.code && sessionId !== undefined;
          const passing = { request: called, handler, site, toolOf };
          const result = await callTool(
            () =>
              isCode ? runCodeOfAgent(offloader, sessionId, passing) : handler(throwingOwn(called)),
            request,
          );
          // Code stores what it has made.
          return ownTools.has(toolName) ? await recordStored(result, site) : result;
        }
        const conversation = conversationSize(state, windows.of(sessionId));
        const call = startCall(offloader, site, { ...turn, conversation, sessionId });
        const streaming = request.tool && readingStreams(request.tool, offloader, call);
        const reading = throwingOwn({ ...called, tool: streaming });
        const result = await callTool(() => handler(reading), request, call);
        return await recordStored(await offloadToolResult(result, call), site);
      });
    },
  });
}

async function callTool<Result>(
  call: () => Result,
  request: Parameters<typeof asToolError>[1],
  running?: ToolRun,
): Promise<Awaited<Result>> {
  try {
    return await call();
  } catch (error) {
    const fault = asToolError(error, request);
    throw running === undefined ? fault : await redactedFault(fault, running);
  }
}
