import type { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import type { ToolCallRequest, WrapModelCallHook } from "langchain";

import type { Offloader } from "../../core/pipeline/offloader.js";
import type { AnswerSummary, ContextSummary } from "../../plugins/journal/entry.js";
import type { OffloadEvent } from "../../core/types/events.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { ShownTool } from "./references/reference-rules.js";
import type { CallSite, RunSite } from "./run/session.js";

export type ModelRequest = Parameters<WrapModelCallHook>[0];
export type ModelAnswer = Awaited<ReturnType<Parameters<WrapModelCallHook>[1]>>;
export type ToolRequest = ToolCallRequest;
export type ToolResult = ToolMessage | Command;
/** A tool as the model sees it: of LangChain, of a provider, or a definition alone. */
export type PresentedTool = ModelRequest["tools"][number];

export interface PresentSite {
  readonly sessionId: string | undefined;
  /** Whether the provider holds a model to the schemas of all tools of the call. */
  readonly isStrict: boolean;
  /** Whether the conversation has stored outputs, or may read those of others. */
  readonly hasOffloads: boolean;
}

interface ModelSite {
  readonly site: RunSite;
  readonly sessionId: string | undefined;
}

export interface ToolSite {
  /** The call as the model wrote it. */
  readonly site: CallSite;
  readonly sessionId: string | undefined;
  /** What plug-ins keep with this call alone. A drill-in tool finds it in its `RunningCall`. */
  readonly state: Map<string, unknown>;
  readonly callTool: InvokeTool;
  /** Tells all listeners, and the stream of this run. */
  emit(event: OffloadEvent): void;
}

/** Calls another tool of the agent, as a call of the model with this id would. Rejects only where the run was aborted. */
export type InvokeTool = (call: {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}) => Promise<CalledTool>;

export type CalledTool =
  /** The text that it returned; none for nothing. `withheld`: what stands for a text that could not be cleaned. */
  | { readonly status: "returned" | "withheld" | "failed"; readonly text?: string }
  | { readonly status: "stored"; readonly stored: StoredArtifact }
  /** It was not called, or has given nothing: an answer waits for another call, it asks a person, changes the state, has only files. */
  | { readonly status: "answer-waits" | "interrupts" | "changes-state" | "no-text" };

export interface SentModelCall {
  readonly request: ModelRequest;
  /** The hashed session. */
  readonly sessionKey: string;
  readonly windowTokens: number | undefined;
  readonly context: () => ContextSummary;
}

interface EndedModelCall {
  readonly failed: boolean;
  readonly durationMs: number;
  readonly usage: () => AnswerSummary;
}

/** A tool that an option of a plug-in names: whoever names one that is not there is told so. */
export interface NamedTool {
  /** As in `references`. */
  readonly option: string;
  readonly toolName: string;
}

/** What a plug-in does in an agent of LangChain. Each hook is optional. What the wraps throw fails the run. */
export interface AgentHooks {
  readonly named?: readonly NamedTool[];
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
  /** The tools as the model is to see them, each in its place, if it is shown: of the same tools always the same objects, since prompt caches depend on it. */
  presentTools?(tools: readonly PresentedTool[], at: PresentSite): readonly PresentedTool[];
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
  /** Whether calls of the model pass the hooks too: of a node, and of a tool alone, only calls of tools do. */
  readonly callsModel: boolean;
  /** A tool of LangChain as a model is sent it. */
  shownTool(tool: object): ShownTool;
  /** Whether the provider holds a model to the schema of this tool: a changed one could be refused. */
  isStrict(tool: object): boolean;
  humanMessage(content: HumanMessage["content"]): HumanMessage;
  /** The same message with another content. */
  withContent(message: ToolMessage, content: ToolMessage["content"]): ToolMessage;
}
