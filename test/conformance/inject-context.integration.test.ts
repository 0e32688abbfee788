import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { type Called, callTool, linesOf, memories, responseOf } from "./offload-call.js";

/** What the tool shows the model: the memories that fit its own budget. */
const FORMATTED = "Context:\n- Atlas: the cache evicts the index\n- 58 more";

/** What a tool returns that formats what fits a budget, and hands the whole set over as its artifact. */
function injected(artifact: unknown): ToolMessage {
  const call = { tool_call_id: "call_1_0", name: "inject_context" };
  return new ToolMessage({ content: FORMATTED, artifact, ...call });
}

async function inject(artifact: unknown): Promise<Called> {
  return callTool(() => injected(artifact), { toolName: "inject_context" });
}

describe("inject_context", () => {
  it("43 the tool recalls and formats once, with the arguments of the call, large set or small", async () => {
    for (const [count, outcome] of [[60, "offloaded"] as const, [3, "inline"] as const]) {
      const asked: unknown[] = [];
      const args = { query: "cache", budget_tokens: 200 };
      const called = await callTool(
        (given) => {
          asked.push({ ...given });
          return injected(memories(count, "medium"));
        },
        { toolName: "inject_context", args },
      );
      expect(asked).toEqual([args]);
      expect(called.events.map(({ type }) => type)).toEqual(
        outcome === "offloaded" ? ["offloaded"] : [],
      );
      expect(called.message.text === FORMATTED).toBe(outcome === "inline");
    }
  });

  it("44 the set before the budget is judged, not the text that the budget left", async () => {
    const set = memories(60, "medium");
    expect(responseOf(await inject(set))).toMatchObject({
      offloaded: true,
      summary: { count: 60, operation: "inject", detail: "medium" },
    });
  });

  it("45 over the threshold that set is stored, and the formatted text is dropped", async () => {
    const set = memories(60, "medium");
    const called = await inject({ memories: set });
    expect(linesOf(called).slice(1)).toEqual(set.map((memory) => JSON.stringify(memory)));
    expect(called.message.text).not.toContain("58 more");
    expect(JSON.stringify(called.message)).not.toContain(String(set[50]?.["id"]));
  });

  it("46 at or under the threshold the formatted text is returned as it was", async () => {
    const set = memories(3, "medium");
    const { message } = await inject(set);
    expect(message.content).toBe(FORMATTED);
    expect(message.artifact).toEqual(set);
  });
});
