import { ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand } from "@langchain/langgraph";

import { unwrapOutput } from "../../../core/content/unwrap.js";
import { isJson } from "../../../core/content/value/is-json.js";
import type { CodeCalls } from "../../../plugins/code/call-options.js";
import type { CallResult } from "../../../plugins/code/request.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { grouped } from "../../../util/amounts.js";
import { isStoredArtifact } from "../run/carried.js";
import { updatesOf, valuesIn } from "../tool/command-updates.js";
import { cutError } from "../tool/errors/cut-error.js";
import { cleanText } from "../tool/redacted-text.js";
import { isWalkedMessage } from "../tool/tool-message.js";
import { callSentences } from "./sentences.js";

/** What became of a call, for the code and for those who watch. */
export interface CallOutcome {
  readonly outcome: "returned" | "failed" | "refused" | "abandoned";
  readonly result: CallResult;
  /** Of the JSON, the stored text or the message. */
  readonly resultBytes: number;
}

/** What a result is taken over with. */
interface ResultParts {
  readonly offloader: Offloader;
  readonly limits: Pick<CodeCalls, "maxInlineResultBytes" | "maxResultBytes">;
  readonly toolName: string;
  readonly sessionId: string;
  readonly signal: AbortSignal | undefined;
}

/** What code gets of what a tool returned: its data, whole. */
export async function callOutcome(
  returned: ToolMessage | Command,
  parts: ResultParts,
): Promise<CallOutcome> {
  const { toolName } = parts;
  const message = messageOf(returned);
  if (message === undefined) {
    return refusal(callSentences.changesState(toolName));
  }
  if (message.status === "error") return await failure(textOf(message), parts);
  const storedId = await storedBefore(message, parts);
  if (storedId !== undefined) return stored(storedId.id, storedId.sizeBytes);
  const { content: value, artifact } = message;
  const { text: came, keptBlocks } = unwrapOutput({ value, artifact });
  if (came === undefined && keptBlocks.length > 0) {
    return refusal(
      `The result of ${toolName} has no text, only images or files, which code cannot read. Call ${toolName} directly, outside of code.`,
    );
  }
  if (came === undefined) return inline("null", 4);
  const { text, isWithheld } = await cleanText(parts.offloader, came, parts);
  if (isWithheld) return refusal(text);
  const resultBytes = Buffer.byteLength(text);
  const { maxInlineResultBytes, maxResultBytes } = parts.limits;
  if (resultBytes > maxResultBytes) {
    return refusal(
      `The result of ${toolName} has ${grouped(resultBytes)} bytes, and ${grouped(maxResultBytes)} are allowed. Ask it for less.`,
    );
  }
  if (resultBytes <= maxInlineResultBytes) {
    return inline(isData(text) ? text : JSON.stringify(text), resultBytes);
  }
  const { offloader, sessionId, signal } = parts;
  const { storedArtifact } = await offloader.put(text, { sessionId, toolName, signal });
  return stored(storedArtifact.id, resultBytes);
}

/** Whether a text stands for a value. A number written otherwise may be a version or a hash, and a text may have quotes. */
function isData(text: string): boolean {
  const isText = /^\s*"/.test(text) || (/^\s*-?\d/.test(text) && String(Number(text)) !== text);
  return !isText && isJson(text);
}

/** An exception that the code gets for what went wrong in the tool. */
export async function failure(
  given: string,
  { offloader, toolName }: Pick<ResultParts, "offloader" | "toolName">,
): Promise<CallOutcome> {
  const { text } = await cleanText(offloader, given, { toolName });
  const error = cutError(text);
  return { outcome: "failed", result: { error }, resultBytes: Buffer.byteLength(error) };
}

/** An exception that the code gets in place of the call, or of its result. */
export function refusal(error: string): CallOutcome {
  return { outcome: "refused", result: { error }, resultBytes: 0 };
}

function inline(json: string, resultBytes: number): CallOutcome {
  return { outcome: "returned", result: { json }, resultBytes };
}

function stored(storedId: string, resultBytes: number): CallOutcome {
  return { outcome: "returned", result: { storedId }, resultBytes };
}

/** A command whose only update is the answer says no more than that. */
function messageOf(returned: ToolMessage | Command): ToolMessage | undefined {
  if (!isCommand(returned)) return returned;
  const { goto, graph, resume } = returned;
  const goes = Array.isArray(goto) ? goto.length > 0 : goto !== undefined;
  if (goes || graph !== undefined || resume !== undefined) return undefined;
  const updates = updatesOf(returned);
  if (updates.some(([channel]) => channel !== "messages")) return undefined;
  const messages = updates.flatMap(([, value]) => valuesIn(value));
  const [only] = messages;
  return messages.length === 1 && ToolMessage.isInstance(only) ? only : undefined;
}

/** Where the tool itself has offloaded its output, the data are there already. */
async function storedBefore(
  message: ToolMessage,
  { offloader }: ResultParts,
): Promise<{ readonly id: string; readonly sizeBytes: number } | undefined> {
  const { artifact } = message as { readonly artifact?: unknown };
  if (!isWalkedMessage(message) || !isStoredArtifact(artifact)) return undefined;
  return await offloader.store.stat(artifact.id, artifact.scope);
}

function textOf(message: ToolMessage): string {
  const { text } = unwrapOutput({ value: message.content });
  return text ?? "The tool failed.";
}
