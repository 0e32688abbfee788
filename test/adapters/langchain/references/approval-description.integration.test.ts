import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  approvalDescription,
  references,
} from "../../../../src/adapters/langchain/references/references.js";
import { askedOf } from "./usual-agent.js";
import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { listRows, receiver, storedIn, thread } from "../../receiving-tool.js";

describe("a person who decides on a call", () => {
  it("is not told of data that the tool does not get", async () => {
    const named = { send_report: { plugins: { references: false as const } } };
    for (const [perTool, told] of [
      [{}, /\nrows: all of list_rows: 2,000 records, 51,066 bytes$/],
      [named, /\}$/],
    ] as const) {
      const plugins = [references()];
      const offloader = createOffloader({ store: memoryStore(), plugins, perTool });
      const schema = z.object({ rows: z.any(), title: z.object({ $output: z.string() }) });
      const is = "list_rows: 2,000 records, 51,066 bytes";
      const description = approvalDescription(offloader);
      const interruptOn = { send_report: { allowedDecisions: ["approve"], description } };
      const person: AgentMiddleware = humanInTheLoopMiddleware({ interruptOn } as never) as never;
      const agent = createAgent({
        model: scriptedModel([
          { toolCalls: [{ name: "list_rows", args: {} }] },
          (messages) => {
            const $output = storedIn(messages).id;
            const args = { rows: { $output }, title: { $output, is } };
            return { toolCalls: [{ name: "send_report", args }] };
          },
        ]),
        tools: [listRows, receiver(schema).sendReport],
        middleware: [offloadMiddleware({ offloader }), person],
        checkpointer: new MemorySaver(),
      });
      const asked = await agent.invoke({ messages: [new HumanMessage("go")] }, thread("h"));
      expect(askedOf(asked).description).toMatch(told);
      await offloader.close();
    }
  });
});
