import { createAgent } from "langchain";
import { expect, it } from "vitest";

import { offloadMiddleware } from "../src/adapters/langchain/offload-middleware.js";
import { createOffloader } from "../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../src/core/store/memory.js";
import { scriptedModel } from "../src/testing/scripted-model.js";
import { artifactsOf, question, rowsTool, toolMessages } from "./adapters/large-outputs.js";

// The one file of unit tests that starts threads: `unit-guard.ts` lets it.
it.each([
  ["read", { start_record: 799 }, '"note":"visit 6327281"'],
  ["grep", { pattern: "visit 6327281" }, '"number":800'],
  ["jq", { filter: "map(.number) | add", slurp: true }, "320400"],
])("an agent answers from a stored output with %s", async (name, args, answer) => {
  const offloader = createOffloader({ store: memoryStore() });
  const model = scriptedModel([
    { toolCalls: [{ name: "list_rows", args: {} }] },
    (messages) => {
      const id = artifactsOf(messages)[0]?.id;
      return { toolCalls: [{ name: `${name}_tool_output`, args: { id, ...args } }] };
    },
  ]);
  const middleware = [offloadMiddleware({ offloader })];
  const agent = createAgent({ model, tools: [rowsTool()], middleware });
  const { messages } = await agent.invoke(question, { configurable: { thread_id: name } });
  const [descriptor, answered] = toolMessages(messages);
  expect(descriptor?.text).not.toContain(answer);
  expect(answered?.status).not.toBe("error");
  expect(answered?.text).toContain(answer);
  await offloader.close();
});
