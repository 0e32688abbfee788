import type { BaseMessage, ToolMessage } from "@langchain/core/messages";

import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { overridesOf } from "../run/run-overrides.js";
import { answeredCalls } from "./messages/answered-calls.js";

/** Whether a result of a conversation may leave: what `plugins.aging: false` of its tool, `enabled`, `include` or `exclude` keep stays. */
export type Admission = (message: ToolMessage) => boolean;

/** Creates the admission of an offloader's conversations; a rule is asked once about each message. */
export function createAdmission(
  offloader: Offloader,
  ownTools: ReadonlySet<string>,
  isExcluded: (toolName: string) => boolean,
): (messages: readonly BaseMessage[], sessionId: string) => Admission {
  const { admits } = internals(offloader);
  const known = new WeakMap<ToolMessage, boolean>();

  return (messages, sessionId) => {
    let calls: ReturnType<typeof answeredCalls> | undefined;

    function isAdmitted(message: ToolMessage): boolean {
      calls ??= answeredCalls(messages);
      const call = calls.get(message);
      const toolName = message.name ?? call?.name ?? "tool";
      if (isExcluded(toolName)) return false;
      // Nothing is stored of their answers.
      if (ownTools.has(toolName)) return true;
      const { content: value, metadata, tool_call_id: toolCallId } = message;
      const overrides = overridesOf({}, message);
      const about = { toolName, toolCallId, args: call?.args, metadata, overrides };
      try {
        return admits({ ...about, value, sessionId });
      } catch {
        // A rule that fails has not said yes.
        return false;
      }
    }

    return (message) => {
      const answered = known.get(message) ?? isAdmitted(message);
      known.set(message, answered);
      return answered;
    };
  };
}
