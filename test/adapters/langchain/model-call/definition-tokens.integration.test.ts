import { expect, it } from "vitest";

import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  type Offloader,
  type OffloadEvent,
  type OffloadOptions,
} from "../../../../src/index.js";
import { createMeasure } from "../../../../src/core/measure/measure.js";
import { jsonSchemaOf } from "../../../../src/adapters/langchain/references/reference-rules.js";
import { artifactsOf, question, rowsTool } from "../../large-outputs.js";
import { agentOf, calling, thread } from "../../agents.js";

/** Runs an agent that lists the rows and then reads two lines of them; what the ledger says after it. */
async function run(options: OffloadOptions): Promise<{ offloader: Offloader; shown: number[] }> {
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): unknown => events.push(event);
  const offloader = createOffloader({ store: memoryStore(), onEvent, ...options });
  const agent = agentOf(
    [
      calling("list_rows"),
      calling("list_rows", { only: "Rome" }),
      (messages) => {
        const args = { id: artifactsOf(messages)[0]?.id, start_line: 1, end_line: 2 };
        return calling("read_tool_output", args);
      },
    ],
    [rowsTool()],
    { offloader },
  );
  await agent.invoke(question, thread("one"));
  await offloader.close();
  const shown = events.flatMap((event) =>
    event.type === "tools-shown" ? [event.definitionTokens] : [],
  );
  return { offloader, shown };
}

it("the ledger of a conversation has the definitions of the drill-in tools once, close to what a tokenizer counts", async () => {
  const { offloader, shown } = await run({});
  const { definitionTokens } = offloader.stats("one");
  expect(shown).toEqual([definitionTokens]);
  const definitions = createDrillInTools(offloader).map(({ name, description, schema }) => {
    const parameters = jsonSchemaOf(schema);
    return JSON.stringify({ type: "function", function: { name, description, parameters } });
  });
  const measure = createMeasure();
  const counts = await Promise.all(definitions.map(async (text) => await measure.count(text)));
  const counted = counts.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(definitionTokens / counted).toBeGreaterThan(1);
  expect(definitionTokens / counted).toBeLessThan(1.2);
});

it("answers where a plugin's observer of model calls rejects, which ends no process", async () => {
  const onModelCall = async (): Promise<never> => {
    throw new Error("own fault");
  };
  const plugin = { name: "own", setup: () => ({ agent: () => ({ onModelCall }) }) };
  const agent = agentOf(["done"], [], { plugins: [plugin] });
  const { messages } = await agent.invoke(question, thread("observed"));
  expect(messages.at(-1)?.text).toBe("done");
});
