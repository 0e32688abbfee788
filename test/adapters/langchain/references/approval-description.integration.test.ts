import { referring } from "../../../referring.js";
import { HumanMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
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
import { listRows, receiver, rows, storedIn, thread } from "../../receiving-tool.js";

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

  it("sees the reference and its size, and the tool gets the data after the approval", async () => {
    const { given, sendReport } = receiver();
    const offloader = createOffloader({
      store: memoryStore(),
      ...referring({ send_report: true }),
    });
    // Its type does not fit `exactOptionalPropertyTypes`.
    const person: AgentMiddleware = humanInTheLoopMiddleware({
      interruptOn: {
        send_report: { allowedDecisions: ["approve"], description: approvalDescription(offloader) },
      },
    } as never) as never;
    const agent = createAgent({
      model: scriptedModel([
        { toolCalls: [{ name: "list_rows", args: {} }] },
        (messages) => ({
          toolCalls: [{ name: "send_report", args: { rows: { $output: storedIn(messages).id } } }],
        }),
      ]),
      tools: [listRows, sendReport],
      middleware: [offloadMiddleware({ offloader }), person],
      checkpointer: new MemorySaver(),
    });
    const asked = await agent.invoke({ messages: [new HumanMessage("go")] }, thread("h"));
    const request = askedOf(asked);
    const { id, sizeBytes } = storedIn(asked.messages);
    const is = `list_rows: 2,000 records, ${sizeBytes.toLocaleString("en-US")} bytes`;
    expect(request.args).toEqual({ rows: { $output: id, is } });
    expect(request.description).toContain(`rows: all of ${is}`);
    expect(JSON.stringify(asked["__interrupt__" as never]).length).toBeLessThan(1000);
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread("h"));
    expect(given).toEqual([{ rows }]);
    const { values } = await agent.graph.getState(thread("h"));
    expect(JSON.stringify(values).length).toBeLessThan(20_000);
    await offloader.close();
  });
});
