import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ScriptedReply } from "langchain-offload/testing";

/** A call as a line in the conversation names it: `read_tool_output("01…")`. */
const NAMED_CALL = /(\w+)\("([0-9A-Z]{26})"\)\]$/;

/**
 * Reads the reports one after the other, then answers from what it sees in the conversation. Where a line stands in place of the
 * report that is asked for, it makes the call that the line names; it knows nothing that it does not see, and it makes no
 * call twice that somebody may have to pay for.
 */
export function reportReader(reports: number): (messages: readonly BaseMessage[]) => ScriptedReply {
  return (messages) => {
    const results = messages.filter((message) => ToolMessage.isInstance(message));
    const read = results.filter(({ name }) => name === "read_report");
    if (read.length < reports) {
      return { toolCalls: [{ name: "read_report", args: { number: read.length + 1 } }] };
    }
    const asked = Number(/total of report (\d+)/.exec(messages[0]?.text ?? "")?.[1]);
    const total = results
      .map(({ text }) => totalIn(text, asked))
      .find((found) => found !== undefined);
    if (total !== undefined) return `The total of report ${asked} was ${total}.`;
    const [, name, id] = NAMED_CALL.exec(read[asked - 1]?.text ?? "") ?? [];
    const isRead = results.length > reports;
    if (name === undefined || id === undefined || isRead)
      return "I cannot see that report any more.";
    return { toolCalls: [{ name, args: { id } }] };
  };
}

function totalIn(text: string, report: number): string | undefined {
  const isReport = new RegExp(`^Report ${report}$`, "m").test(text);
  return isReport ? /^Total: (\d+)$/m.exec(text)?.[1] : undefined;
}
