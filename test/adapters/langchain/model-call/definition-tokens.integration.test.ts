import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";

import { createDrillInTools } from "../../../../src/adapters/langchain/drill-in-tools.js";
import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../../../src/core/types/events.js";
import { createMeasure } from "../../../../src/core/measure/measure.js";
import { createOffloader, type Offloader } from "../../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../../src/core/options/options.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { jsonSchemaOf } from "../../../../src/adapters/langchain/references/reference-rules.js";
import { artifactsOf, question, rowsTool } from "../../large-outputs.js";

/** Runs an agent that lists the rows and then reads two lines of them; what the ledger says after it. */
async function run(options: OffloadOptions): Promise<{ offloader: Offloader; shown: number[] }> {
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): unknown => events.push(event);
  const offloader = createOffloader({ store: memoryStore(), onEvent, ...options });
  const agent = createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: "list_rows", args: {} }] },
      { toolCalls: [{ name: "list_rows", args: { only: "Rome" } }] },
      (messages) => {
        const args = { id: artifactsOf(messages)[0]?.id, start_line: 1, end_line: 2 };
        return { toolCalls: [{ name: "read_tool_output", args }] };
      },
    ]),
    tools: [rowsTool()],
    middleware: [offloadMiddleware({ offloader })],
  });
  await agent.invoke(question, { configurable: { thread_id: "one" } });
  await offloader.close();
  const shown = events.flatMap((event) =>
    event.type === "tools-shown" ? [event.definitionTokens] : [],
  );
  return { offloader, shown };
}

describe("the ledger of a conversation", () => {
  it("has the definitions of the drill-in tools once, close to what a tokenizer counts", async () => {
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
});
