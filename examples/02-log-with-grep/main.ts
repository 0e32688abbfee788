/** A log of 10 MB comes back from a tool; the agent finds the one request that failed with grep. */
import { strictEqual } from "node:assert";

import { createAgent, tool } from "langchain";
import { offloadMiddleware } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";

const FAILED_REQUEST = "req-7f3a91";
const log = serviceLog(10_000_000);

const readLog = tool(() => log, {
  name: "read_service_log",
  description: "The whole log of the payment service of today.",
});

const model = scriptedModel([
  { toolCalls: [{ name: "read_service_log", args: {} }] },
  (messages) => ({
    toolCalls: [
      {
        name: "grep_tool_output",
        args: {
          id: JSON.parse(messages.at(-1)?.text ?? "{}").file_path,
          pattern: "ERROR .*card declined",
          before: 1,
        },
      },
    ],
  }),
  (messages) =>
    `The failed request is ${/ERROR (req-\w+)/.exec(messages.at(-1)?.text ?? "")?.[1]}.`,
]);

const agent = createAgent({ model, tools: [readLog], middleware: [offloadMiddleware()] });
const { messages } = await agent.invoke({
  messages: [{ role: "user", content: "Which request failed because the card was declined?" }],
});

console.log(`The log: ${(log.length / 1e6).toFixed(1)} MB, ${log.split("\n").length} lines`);
for (const message of messages)
  console.log(`${message.type.padEnd(6)} ${message.text.slice(0, 600)}`);
strictEqual(messages.at(-1)?.text, `The failed request is ${FAILED_REQUEST}.`);

/** Lines of a made-up service, the failure somewhere in the last third. */
function serviceLog(sizeCharacters: number): string {
  const lines: string[] = [];
  for (let length = 0, number = 0; length < sizeCharacters; number += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + number * 137).toISOString();
    const line = `${time} INFO req-${number.toString(16).padStart(6, "0")} charged card in ${(number * 7) % 400} ms`;
    lines.push(line);
    length += line.length + 1;
  }
  lines.splice(
    Math.floor(lines.length * 0.7),
    0,
    `2026-01-01T02:47:11.000Z ERROR ${FAILED_REQUEST} card declined by issuer`,
  );
  return lines.join("\n");
}
