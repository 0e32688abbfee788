import { readFileSync } from "node:fs";

import type { ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import * as z from "zod";

import { memoryCorpus } from "../../bench/corpus.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { createOffloader, type Offloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { lro } from "../../src/presets/index.js";
import { fileStore } from "../../src/core/store/file/index.js";
import type { DetailLevel, StoredArtifact } from "../../src/core/types/artifact.js";
import type { DrillInAnswer } from "../../src/core/drill-in/answer.js";
import type { ToolOutput } from "../../src/core/types/output.js";
import { agentOf, calling, thread, toolNamed } from "../adapters/agents.js";
import { toolMessages } from "../adapters/large-outputs.js";
import { afterFile, newDirectory } from "../after-file.js";

/** The OffloadResponse that the model reads. */
export interface OffloadResponse {
  readonly offloaded: boolean;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly file_path: string;
  readonly line_schema: Readonly<Record<string, unknown>>;
  readonly jq_recipes: readonly { readonly description: string; readonly command: string }[];
  readonly guidance: string;
}

/** A call of a tool in an agent, and what became of it. */
export interface Called {
  readonly message: ToolMessage;
  /** Those of its output. */
  readonly events: readonly OffloadEvent[];
  /** Names of the tools that the model was given. */
  readonly boundTools: readonly string[];
}

/** Names the specification's tools; any other name is a foreign tool. */
export interface CallOptions extends OffloadOptions {
  readonly toolName?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export const DETAILS: readonly DetailLevel[] = ["light", "medium", "full"];
/** Fields of OffloadResponse and of its summary, in their order. */
export const RESPONSE_FIELDS: readonly string[] =
  "offloaded summary file_path line_schema jq_recipes guidance".split(" ");
export const SUMMARY_FIELDS: readonly string[] =
  "count estimated_tokens operation top_namespaces score_range detail".split(" ");

/** A walk of the specification's preset with a directory of its own, closed after the tests of the file. */
export function newOffloader(options: OffloadOptions = {}): Offloader {
  const offloader = createOffloader({
    preset: lro(),
    store: fileStore({ directory: newDirectory(), ...(options.now && { now: options.now }) }),
    ...options,
  });
  afterFile(() => offloader.close());
  return offloader;
}

/** One stored output, and what extracts from it as the tool does. */
export interface Stored {
  readonly offloader: Offloader;
  readonly artifact: StoredArtifact;
  readonly response: OffloadResponse;
  readonly extract: (args: Readonly<Record<string, unknown>>) => Promise<DrillInAnswer>;
}

/** Memories at a level, or another output, stored by an offloader of its own. */
export async function store(
  detail: DetailLevel = "light",
  options: OffloadOptions = {},
  output: Partial<ToolOutput> = {},
): Promise<Stored> {
  const offloader = newOffloader(options);
  const result = await offloader.offload({
    toolName: "recall_memories",
    value: memories(60, detail),
    args: { detail },
    sessionId: "s",
    ...output,
  });
  if (result.outcome !== "offloaded") throw new Error("The output was not offloaded.");
  const { storedArtifact: artifact, text } = result;
  const { filePath: file_path, sessionKey } = artifact;
  return {
    offloader,
    artifact,
    response: JSON.parse(text),
    extract: (args) => offloader.drillIn.run("extract", { file_path, ...args }, { sessionKey }),
  };
}

/** Memories whose JSON has exactly so many characters. */
export function memoriesOf(characters: number): string {
  const [first, ...rest] = memories(16, "light");
  const bare = JSON.stringify([{ ...first, content: "" }, ...rest]);
  if (bare.length > characters) throw new RangeError("Too few characters for sixteen memories.");
  return JSON.stringify([{ ...first, content: "x".repeat(characters - bare.length) }, ...rest]);
}

/** Memories as a tool returns them. */
export function memories(count = 60, detail: DetailLevel = "light"): Record<string, unknown>[] {
  return memoryCorpus(count, detail);
}

/** Calls a tool in an agent whose model follows a script. */
export async function callTool(
  answer: (args: Readonly<Record<string, unknown>>) => unknown,
  options: CallOptions = {},
): Promise<Called> {
  const { toolName = "recall_memories" } = options;
  return callGiven(toolNamed(toolName, answer, z.looseObject({})), options);
}

/** The same with a tool that is there already. */
export async function callGiven(
  subject: StructuredToolInterface,
  options: CallOptions = {},
): Promise<Called> {
  const { toolName = subject.name, args = {}, ...rest } = options;
  const events: OffloadEvent[] = [];
  const hear = (event: OffloadEvent): void => {
    if (event.type !== "tools-shown") events.push(event);
  };
  const offloader = newOffloader({ ...rest, onEvent: rest.onEvent ?? hear });
  const agent = agentOf([calling(toolName, { ...args })], [subject], { offloader });
  const { messages } = await agent.invoke({ messages: "go" }, thread("conformance"));
  const [message] = toolMessages(messages);
  if (message === undefined) throw new Error("The agent called no tool.");
  return { message, events, boundTools: agent.model.boundTools };
}

/** Calls a tool that returns this text or JSON value. */
export async function call(value: unknown, options: CallOptions = {}): Promise<Called> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return callTool(() => text, options);
}

/** The descriptor in a tool message. */
export function responseOf({ message }: Pick<Called, "message">): OffloadResponse {
  const response: OffloadResponse = JSON.parse(message.text);
  return response;
}

/** The artifact in a tool message. */
export function artifactOf({ message }: Pick<Called, "message">): StoredArtifact {
  if (message.artifact === undefined) throw new Error("The output was not offloaded.");
  return message.artifact as StoredArtifact;
}

/** Lines of the stored file: the header first. */
export function linesOf(called: Pick<Called, "message">): string[] {
  const text = readFileSync(artifactOf(called).filePath ?? "", "utf8");
  if (!text.endsWith("\n")) throw new Error("The last line has no end.");
  return text.slice(0, -1).split("\n");
}

/** The header line of the stored file. */
export function headerOf(called: Pick<Called, "message">): Record<string, unknown> {
  const header: Record<string, unknown> = JSON.parse(linesOf(called)[0] ?? "");
  return header;
}
