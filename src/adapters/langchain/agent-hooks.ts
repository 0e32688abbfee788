import type { ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import type { ToolCallRequest, WrapModelCallHook } from "langchain";

import type { Offloader } from "../../core/pipeline/offloader.js";
import type { AnswerSummary, ContextSummary } from "../../plugins/journal/entry.js";
import type { InvokeTool } from "./code/calls-of-run.js";
import type { CallSite, RunSite } from "./run/call-site.js";

export type ModelRequest = Parameters<WrapModelCallHook>[0];
export type ModelAnswer = Awaited<ReturnType<Parameters<WrapModelCallHook>[1]>>;
export type ToolRequest = ToolCallRequest;
export type ToolResult = ToolMessage | Command;
/** A tool as the model sees it: of LangChain, of a provider, or a definition alone. */
type PresentedTool = ModelRequest["tools"][number];

/** Where a model is called. */
export interface ModelSite {
  /** Of the request as it came. */
  readonly site: RunSite;
  readonly sessionId: string | undefined;
}

/** Where a tool is called, and how other tools of the agent are. */
export interface ToolSite {
  /** The call as the model wrote it. */
  readonly site: CallSite;
  readonly sessionId: string | undefined;
  /** Calls another tool of the agent. Its output is neither cleaned nor offloaded. */
  readonly invoke: InvokeTool;
}

/** A call of the model, as it is sent. */
export interface SentModelCall {
  readonly request: ModelRequest;
  /** The hashed session. */
  readonly scope: string;
  /** The model's window, where it is known. */
  readonly windowTokens: number | undefined;
  /** What its context is made of. */
  readonly context: () => ContextSummary;
}

/** How a call of the model ended. */
export interface EndedModelCall {
  readonly failed: boolean;
  readonly durationMs: number;
  /** What the answer says of itself. */
  readonly usage: () => AnswerSummary;
}

/** What a plug-in does in an agent of LangChain. Each hook is optional. What the wraps throw fails the run. */
export interface AgentHooks {
  /** Called when an agent begins; gives an update of its state. */
  beforeAgent?(start: {
    readonly state: unknown;
    readonly runtime: RunSite;
    readonly sessionId: string | undefined;
  }): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Around a call of the model, as in LangChain's middleware; the first listed is outermost. */
  wrapModelCall?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelAnswer>,
    at: ModelSite,
  ): Promise<ModelAnswer>;
  /** The tools as the model is to see them: of the same tools always the same objects, since prompt caches depend on it. */
  presentTools?(
    tools: readonly PresentedTool[],
    request: ModelRequest,
    at: ModelSite,
  ): readonly PresentedTool[];
  /** Told of a call of the model just before it is made; the function that it gives is told of the end. */
  onModelCall?(call: SentModelCall): ((end: EndedModelCall) => void) | undefined;
  /** Around a call of a tool, as in LangChain's middleware; the first listed is outermost. */
  wrapToolCall?(
    request: ToolRequest,
    next: (request: ToolRequest) => Promise<ToolResult>,
    at: ToolSite,
  ): Promise<ToolResult>;
}

/** What the agent side of a plug-in works with. */
export interface AgentHost {
  readonly offloader: Offloader;
  /** Names of this library's own tools. */
  readonly ownTools: ReadonlySet<string>;
}
