/**
 * An agent answers a question over a tool output of several MB that never enters its context.
 * With MODEL=openai:gpt-… or MODEL=anthropic:… a real model answers; else a script plays its part.
 */
import { deepStrictEqual } from "node:assert";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, initChatModel, tool } from "langchain";
import { createOffloader, offloadMiddleware, type OffloadEvent } from "langchain-offload";
import { journal } from "langchain-offload/journal";

import { allFeatures } from "./features.js";
import { narrate, printComparison, section } from "./print.js";
import { script } from "./script.js";

const QUESTION =
  "How many deprecated features does each area of the web platform have? " +
  "Answer with one JSON object from area to count, leaving out areas that have none.";

const features = allFeatures();
const listFeatures = tool(() => JSON.stringify(features), {
  name: "list_features",
  description: "All web platform features with their area, status and browser support.",
});

const events: OffloadEvent[] = [];
const directory = mkdtempSync(join(tmpdir(), "langchain-offload-demo-"));
const offloader = createOffloader({
  plugins: [journal({ directory })],
  onEvent: (event) => events.push(event),
});
const named = process.env["MODEL"];
const agent = createAgent({
  model: named ? await initChatModel(named) : script,
  tools: [listFeatures],
  middleware: [offloadMiddleware({ offloader })],
});

section(named ? `The run, with ${named}` : "The run (the model is scripted: no key, no network)");
let answer = "";
const conversation: BaseMessage[] = [];
const run = await agent.stream(
  { messages: [{ role: "user", content: QUESTION }] },
  { streamMode: "values" },
);
for await (const { messages } of run) {
  for (const message of messages.slice(conversation.length)) {
    narrate(message);
    conversation.push(message);
    answer = message.text;
  }
}

const offloaded = events.find((event) => event.type === "offloaded");
if (offloaded?.type !== "offloaded") throw new Error("Nothing was offloaded.");
const descriptor = conversation.find((message) => message.type === "tool");
section("What the model saw in place of the output");
console.log(JSON.stringify(JSON.parse(descriptor?.text ?? "{}"), null, 2));
section("Tokens in the context at the end");
printComparison(conversation, offloaded);

section("The answer, checked against the data");
const expected: Record<string, number> = {};
for (const { area } of features.filter((feature) => feature.deprecated)) {
  expected[area] = (expected[area] ?? 0) + 1;
}
const given: unknown = JSON.parse(/\{[\s\S]*\}/.exec(answer)?.[0] ?? "null");
deepStrictEqual(given, expected);
console.log(`Correct: ${JSON.stringify(given)}`);

await offloader.close();
section("Look at it in a browser");
console.log(`npx langchain-offload inspect --journal ${directory}`);
