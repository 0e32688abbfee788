import type { BaseMessage } from "@langchain/core/messages";
import { scriptedModel, type ScriptedModel } from "langchain-offload/testing";

/** What a model does here: it calls the tool, reads the descriptor, counts with jq, and answers. */
export const script: ScriptedModel = scriptedModel([
  { text: "I list the features.", toolCalls: [{ name: "list_features", args: {} }] },
  (messages) => ({
    text: "The output is stored. I count with jq instead of reading it.",
    toolCalls: [
      {
        name: "jq_tool_output",
        args: {
          id: JSON.parse(lastText(messages)).file_path,
          filter: "map(select(.deprecated)) | group_by(.area) | map({(.[0].area): length}) | add",
          slurp: true,
        },
      },
    ],
  }),
  (messages) => `Deprecated features by area: ${/\{[\s\S]*\}/.exec(lastText(messages))?.[0]}`,
]);

function lastText(messages: readonly BaseMessage[]): string {
  return messages.at(-1)?.text ?? "";
}
