import { ToolMessage } from "@langchain/core/messages";
import { type Command, isCommand, isGraphBubbleUp, isGraphInterrupt } from "@langchain/langgraph";

import { unwrapOutput } from "../../../core/content/unwrap.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { isRecord } from "../../../util/is-record.js";
import type { CalledTool, InvokeTool } from "../agent-hooks.js";
import { isStoredArtifact } from "../run/carried.js";
import type { CallSite } from "../run/call-site.js";
import { cutError } from "./errors/cut-error.js";
import { toolErrorText } from "./errors/tool-error-text.js";
import { updatesOf, valuesIn } from "./command-updates.js";
import { cleanText } from "./redacted-text.js";
import { isWalkedMessage } from "./tool-message.js";

/** Calls another tool of an agent, as a call of the model would, for a plug-in: its output is cleaned, and never offloaded. */
export function callerOf(
  offloader: Offloader,
  { configurable }: Pick<CallSite, "configurable">,
  invoke: (call: Parameters<InvokeTool>[0]) => Promise<ToolMessage | Command>,
): InvokeTool {
  const failed = async (text: string, toolName: string): Promise<CalledTool> => {
    const { text: clean } = await cleanText(offloader, text, { toolName });
    return { status: "failed", text: cutError(clean) };
  };
  return async (call) => {
    const toolName = call.name;
    if (hasAnswer(configurable)) return { status: "answer-waits" };
    try {
      const message = messageOf(await invoke(call));
      if (message === undefined) return { status: "changes-state" };
      const { content: value, artifact } = message as Pick<ToolMessage, "content"> & {
        readonly artifact?: unknown;
      };
      if (message.status === "error")
        return await failed(unwrapOutput({ value }).text ?? "The tool failed.", toolName);
      // Where the tool itself has offloaded its output, the data are there already.
      if (isWalkedMessage(message) && isStoredArtifact(artifact)) {
        const stored = await offloader.store.stat(artifact.id, artifact.scope);
        if (stored !== undefined) return { status: "stored", stored };
      }
      const { text: came, keptBlocks } = unwrapOutput({ value, artifact });
      if (came === undefined)
        return keptBlocks.length > 0 ? { status: "no-text" } : { status: "returned" };
      const { text, isWithheld } = await cleanText(offloader, came, { toolName });
      return { status: isWithheld ? "withheld" : "returned", text };
    } catch (error) {
      if (isGraphInterrupt(error)) return { status: "interrupts" };
      if (isGraphBubbleUp(error)) return { status: "changes-state" };
      return await failed(toolErrorText(error), toolName);
    }
  };
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

/**
 * Whether a person's answer waits in this task of LangGraph for the tool that asked. Whatever calls `interrupt()` next takes
 * it: a tool that is called here would run as if it had been agreed to.
 */
function hasAnswer(configurable: CallSite["configurable"]): boolean {
  const pad = configurable?.["__pregel_scratchpad"];
  if (!isRecord(pad)) return false;
  const { resume, interruptCounter, nullResume } = pad;
  const taken = Number(interruptCounter) + 1;
  return nullResume !== undefined || (Array.isArray(resume) && resume.length > taken);
}
