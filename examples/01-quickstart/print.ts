import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import type { OffloadEvent } from "langchain-offload";

export function section(title: string): void {
  console.log(`\n── ${title} ${"─".repeat(Math.max(0, 72 - title.length))}`);
}

/** Says what a message is while the agent runs; long texts are shown by their beginning. */
export function narrate(message: BaseMessage): void {
  const who =
    { human: "user ", ai: "model", tool: "tool " }[message.type as string] ?? message.type;
  if (message.text !== "") console.log(`${who}  ${shorten(message.text)}`);
  if (!AIMessage.isInstance(message)) return;
  for (const call of message.tool_calls ?? []) {
    console.log(`${who}  → ${call.name}(${shorten(JSON.stringify(call.args))})`);
  }
}

/** Tokens of this conversation, and of the same one with the output in it, as a table with bars. */
export function printComparison(
  conversation: readonly BaseMessage[],
  offloaded: Extract<OffloadEvent, { type: "offloaded" }>,
): void {
  const encoding = new Tiktoken(o200k);
  const count = (text: string): number => encoding.encode(text, [], []).length;
  const calls = (message: BaseMessage): unknown[] =>
    AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const withPlugin = conversation
    .map(
      (message) =>
        count(message.text) +
        calls(message).reduce<number>((sum, call) => sum + count(JSON.stringify(call)), 0),
    )
    .reduce((sum, tokens) => sum + tokens, 0);
  const without = withPlugin + offloaded.tokensSaved;
  const megabytes = (offloaded.storedArtifact.sizeBytes / 1e6).toFixed(1);
  row("without langchain-offload", without, without, offloaded.tokensExact ? "" : "~");
  row("with langchain-offload", withPlugin, without, "");
  console.log(
    `${(without / withPlugin).toFixed(0)} times less. The output: ${megabytes} MB, ` +
      `${offloaded.storedArtifact.recordCount} records; the descriptor: ${offloaded.descriptorTokens} tokens.`,
  );
}

function row(label: string, tokens: number, most: number, sign: string): void {
  const bar = "█".repeat(Math.max(1, Math.round((tokens / most) * 32)));
  console.log(
    `${label.padEnd(26)} ${(sign + tokens.toLocaleString("en-US")).padStart(10)}  ${bar}`,
  );
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 150
    ? `${line.slice(0, 150)}… (${text.length.toLocaleString("en-US")} characters)`
    : line;
}
