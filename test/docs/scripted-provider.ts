import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a model does next that wants to know how many orders are in each state. */
type Step =
  | { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly answer: string };

const FILTER = "group_by(.state) | map({(.[0].state): length}) | add";

/** The call that the newest message asks for: the tool first, then jq over what it stored, then the answer. */
function stepAfter(newest: string): Step {
  const id = /"file_path\\*":\s*\\*"([^"\\]+)/.exec(newest)?.[1];
  if (id !== undefined)
    return { name: "jq_tool_output", args: { id, filter: FILTER, slurp: true } };
  const counts = /\{[^{}]*open[^{}]*\}/.exec(newest)?.[0];
  if (counts !== undefined) return { answer: `Orders by state: ${counts.replaceAll("\\", "")}` };
  return { name: "list_orders", args: {} };
}

function openAiAnswer(step: Step): object {
  const isCall = "name" in step;
  const called = isCall && { name: step.name, arguments: JSON.stringify(step.args) };
  const tool_calls = [{ id: "call_1", type: "function", function: called }];
  const said = isCall ? { content: null, tool_calls } : { content: step.answer };
  const message = { role: "assistant", ...said };
  const choice = { index: 0, message, finish_reason: isCall ? "tool_calls" : "stop" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const about = { id: "chatcmpl-1", object: "chat.completion", created: 0, model: "scripted" };
  return { ...about, choices: [choice], usage };
}

function anthropicAnswer(step: Step): object {
  const isCall = "name" in step;
  const block = isCall
    ? { type: "tool_use", id: `toolu_${step.name}`, name: step.name, input: step.args }
    : { type: "text", text: step.answer };
  const about = { id: "msg_1", type: "message", role: "assistant", model: "scripted" };
  const stop_reason = isCall ? "tool_use" : "end_turn";
  return { ...about, content: [block], stop_reason, usage: { input_tokens: 1, output_tokens: 1 } };
}

/** A server that answers as OpenAI's chat completions and Anthropic's messages do, by a script. */
export async function startScriptedProvider(): Promise<{
  readonly env: Readonly<Record<string, string>>;
  /** The answers so far, in order. */
  readonly steps: readonly Step[];
  close(): void;
}> {
  const steps: Step[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: readonly { content: unknown }[] };
      const step = stepAfter(JSON.stringify(messages.at(-1)?.content ?? ""));
      steps.push(step);
      const answer = request.url?.includes("/messages")
        ? anthropicAnswer(step)
        : openAiAnswer(step);
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none" };
  const env = { OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, ...keys };
  return { env, steps, close: () => server.close() };
}
