import type { ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import type { ToolCallRequest } from "langchain";

import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import type { CallSite } from "../run/call-site.js";
import type { ToolLike } from "../tool/around-call.js";
import { readingStreams } from "../tool/tool-calls.js";
import { type CallsOfRun, type InvokeTool, openCallsOfRun } from "./calls-of-run.js";
import { carryingCalls } from "./carried-calls.js";

type Answer = ToolMessage | Command;

/** A call of the tool that runs code, and the ways from it. */
interface CodeCall {
  readonly site: CallSite;
  /** Calls another tool of the agent. */
  readonly invoke: InvokeTool;
  /** Goes on to the tool; without calls, its code can call no tool. */
  readonly run: (calls: CallsOfRun | undefined) => Promise<Answer>;
}

/** Runs the tool that runs code, whose code may call other tools. */
export async function runCode(
  offloader: Offloader,
  sessionId: string,
  { site, invoke, run }: CodeCall,
): Promise<Answer> {
  const calls = openCallsOfRun(offloader, site, { sessionId, invoke });
  try {
    return await run(calls);
  } finally {
    calls?.close();
  }
}

/** A call of the model, on its way to its tool. */
interface PassingRequest<Request> {
  readonly request: Request;
  readonly handler: (request: Request) => Promise<Answer> | Answer;
  readonly site: CallSite;
  /** Another tool of the agent, by its name; `undefined` where none is known. */
  readonly toolOf: (name: string) => object | undefined;
}

/**
 * The same for a call that passes through our `wrapToolCall`: other tools are called by the handler of this very call, so
 * that every middleware listed after ours has its part in them.
 */
export async function runCodeOfAgent<Request extends Pick<ToolCallRequest, "toolCall" | "tool">>(
  offloader: Offloader,
  sessionId: string,
  { request, handler, site, toolOf }: PassingRequest<Request>,
): Promise<Answer> {
  const { tool } = request;
  return await runCode(offloader, sessionId, {
    site,
    invoke: async (call) => {
      const other = toolOf(call.name);
      return await handler({
        ...request,
        toolCall: { ...call, type: "tool_call" },
        // Without a tool in the request, the agent looks for it by its name.
        tool: isToolLike(other) ? readingStreams(other, offloader) : undefined,
      });
    },
    run: async (calls) =>
      await handler(
        calls === undefined || !isToolLike(tool)
          ? request
          : { ...request, tool: carryingCalls(tool, calls) },
      ),
  });
}

function isToolLike(tool: unknown): tool is ToolLike & NonNullable<ToolCallRequest["tool"]> {
  return typeof tool === "object" && tool !== null && "_call" in tool;
}
