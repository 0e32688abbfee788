import type { HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import type { ToolCallRequest, WrapModelCallHook } from "langchain";

import type { Offloader } from "../../core/pipeline/offloader.js";
import type { AnswerSummary, ContextSummary } from "../../plugins/journal/entry.js";
import type { OffloadEvent } from "../../core/types/events.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { openModel } from "./model-call/open-model.js";
import type { ShownTool } from "./references/reference-rules.js";
import type { CallSite, RunSite } from "./run/session.js";

export type ModelRequest = Parameters<WrapModelCallHook>[0];
export type ModelAnswer = Awaited<ReturnType<Parameters<WrapModelCallHook>[1]>>;
export type ToolRequest = ToolCallRequest;
export type ToolResult = ToolMessage | Command;
/** A tool as the model sees it: a LangChain tool, a provider tool, or a bare definition. */
export type PresentedTool = ModelRequest["tools"][number];

export interface PresentSite {
  readonly sessionId: string | undefined;
  /** Whether the schemas of the call's tools may not be changed: its provider enforces them, or takes few forms. */
  readonly isStrict: boolean;
  /** Whether the conversation has stored outputs, or has access to those of others. */
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
  /** State that plugins keep for this call alone. A drill-in tool finds it in its `RunningCall`. */
  readonly state: Map<string, unknown>;
  readonly callTool: InvokeTool;
  /** Emits to all listeners and to the stream of this run. */
  emit(event: OffloadEvent): void;
}

/** Calls another tool of the agent, as a model call with this id would. Rejects only when the run was aborted. */
export type InvokeTool = (call: {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}) => Promise<CalledTool>;

/**
 * `text` is absent when the tool returned nothing. With `withheld` it replaces a text that could not be cleaned.
 * `beside` tells what came beside the data: texts, and that there were images or files.
 */
export type CalledTool = { readonly beside?: string } & (
  | { readonly status: "returned" | "withheld" | "failed"; readonly text?: string }
  | { readonly status: "stored"; readonly stored: StoredArtifact }
  /** Not called while a person's answer waits for another call, or without a text: it asks a person, changes the state, or has only files. */
  | { readonly status: "answer-waits" | "interrupts" | "changes-state" | "no-text" }
);

export interface SentModelCall {
  readonly request: ModelRequest;
  /** The hashed session id. */
  readonly sessionKey: string;
  readonly windowTokens: number | undefined;
  readonly context: () => ContextSummary;
}

interface EndedModelCall {
  readonly failed: boolean;
  readonly durationMs: number;
  readonly usage: () => AnswerSummary;
}

/** A tool that a plugin option names. A name that matches no tool is reported. */
interface NamedTool {
  /** Such as `references`. */
  readonly option: string;
  readonly toolName: string;
}

/** What a plugin does in a LangChain agent. Each hook is optional. An error thrown by a wrap hook fails the run. */
export interface AgentHooks {
  readonly named?: readonly NamedTool[];
  /** Called when an agent begins. Returns an update of its state. */
  beforeAgent?(start: {
    readonly state: unknown;
    readonly runtime: RunSite;
    readonly sessionId: string | undefined;
  }): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Wraps a model call, as LangChain middleware does. The first plugin listed is outermost. */
  wrapModelCall?(
    request: ModelRequest,
    next: (request: ModelRequest) => Promise<ModelAnswer>,
    at: ModelSite,
  ): Promise<ModelAnswer>;
  /**
   * Returns the tools that the model sees, in order. The same tools must yield the same objects,
   * because prompt caches depend on it.
   */
  presentTools?(tools: readonly PresentedTool[], at: PresentSite): readonly PresentedTool[];
  /** Called just before a model call. The function it returns is called when the call ends. */
  onModelCall?(call: SentModelCall): ((end: EndedModelCall) => void) | undefined;
  /** Wraps a tool call, as LangChain middleware does. The first plugin listed is outermost. */
  wrapToolCall?(
    request: ToolRequest,
    next: (request: ToolRequest) => Promise<ToolResult>,
    at: ToolSite,
  ): Promise<ToolResult>;
}

/** What the agent side of a plugin works with. */
export interface AgentHost {
  readonly offloader: Offloader;
  /** Names of this library's own tools. */
  readonly ownTools: ReadonlySet<string>;
  /** Whether model calls pass through the hooks too. In a node or a wrapped tool only tool calls do. */
  readonly callsModel: boolean;
  /** A LangChain tool in the form that a model receives. */
  shownTool(tool: object): ShownTool;
  /** Whether the provider enforces this tool's schema. It could refuse a changed one. */
  isStrict(tool: object): boolean;
  /** The model behind one that is chosen at run time or bound to settings. */
  openModel: typeof openModel;
  humanMessage(content: HumanMessage["content"]): HumanMessage;
  /** Returns the same message with other content. */
  withContent(message: ToolMessage, content: ToolMessage["content"]): ToolMessage;
}
