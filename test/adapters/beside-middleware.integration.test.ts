import { toolsAfterOffload } from "../../src/presets/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { referring } from "../referring.js";
import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, llmToolSelectorMiddleware } from "langchain";
import { afterAll, describe, expect, it } from "vitest";

import { createDrillInTools } from "../../src/adapters/langchain/drill-in-tools.js";
import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { countRome, question, rowsTool, toolMessages } from "./large-outputs.js";

const offloader = createOffloader();
afterAll(async () => {
  await offloader.close();
});

const callRows: ScriptedTurn = { toolCalls: [{ name: "list_rows", args: {} }] };
const drillIns = ["read_tool_output", "grep_tool_output", "jq_tool_output", "sql_tool_output"];

type Middleware = NonNullable<Parameters<typeof createAgent>[0]["middleware"]>;

/** A selector whose model picks the rows. Its own types do not fit a strict project. */
function selector(options: object): never {
  const withStructuredOutput = (): object => ({ invoke: async () => ({ tools: ["list_rows"] }) });
  const model = Object.assign(scriptedModel([]), { withStructuredOutput });
  return llmToolSelectorMiddleware({ ...options, model } as never) as never;
}

/** The names of the tools that reached the model in each call. */
function namesShown(): { shown: string[][]; last: ReturnType<typeof createMiddleware> } {
  const shown: string[][] = [];
  const last = createMiddleware({
    name: "last",
    wrapModelCall(request, handler) {
      shown.push(request.tools.map(({ name }) => String(name)));
      return handler(request);
    },
  });
  return { shown, last };
}

async function run(middleware: Middleware, more: object = {}): Promise<BaseMessage[]> {
  const agent = createAgent({
    model: scriptedModel([callRows, countRome]),
    tools: [rowsTool()],
    middleware,
    ...more,
  });
  return (await agent.invoke(question, { configurable: { thread_id: crypto.randomUUID() } }))
    .messages;
}

describe("L2: a selector of tools around the middleware", () => {
  it.each(["always", "after-first-offload"] as const)(
    "does not take the drill-in tools away once something was offloaded (%s)",
    async (showTools) => {
      const { shown, last } = namesShown();
      const picking = selector({ maxTools: 1 });
      const own = createOffloader({
        store: memoryStore(),
        plugins: showTools === "always" ? [] : [toolsAfterOffload()],
      });
      const messages = await run([picking, offloadMiddleware({ offloader: own }), last]);
      expect(shown[0]).toEqual(["list_rows"]);
      expect(shown[1]).toEqual(["list_rows", ...drillIns]);
      expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
    },
  );
});

describe("L3: a tool that takes references", () => {
  it("keeps what providers read beside its name, description and schema", async () => {
    const seen: unknown[] = [];
    const last = createMiddleware({
      name: "last",
      wrapModelCall(request, handler) {
        seen.push(...request.tools.filter(({ name }) => name === "list_rows"));
        return handler(request);
      },
    });
    const extras = { defer_loading: true, cache_control: { type: "ephemeral" } };
    const rows = Object.assign(rowsTool(), { extras, metadata: { team: "visits" } });
    const middleware = offloadMiddleware(referring({ list_rows: ["only"] }));
    await run([middleware, last], { tools: [rows] });
    expect(seen[0]).toMatchObject({ extras, metadata: { team: "visits" } });
    expect(JSON.stringify(seen[0])).toContain("$output");
  });
});

describe("L4: the drill-in tools of an offloader", () => {
  it("may stand beside its middleware, and the model is shown each once", async () => {
    const { shown, last } = namesShown();
    const tools = [rowsTool(), ...createDrillInTools(offloader)];
    const messages = await run([offloadMiddleware({ offloader }), last], { tools });
    expect(shown[1]).toEqual(["list_rows", ...drillIns]);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  });
});
