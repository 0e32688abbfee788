import { referring } from "../../../referring.js";
import { HumanMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import { approvalDescription } from "../../../../src/adapters/langchain/references/references.js";
import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { type Args, listRows, receiver, rows, storedIn, thread } from "../../receiving-tool.js";

describe("a person who decides on a call", () => {
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
    const [request] = (
      asked as never as {
        __interrupt__: { value: { actionRequests: { description: string; args: Args }[] } }[];
      }
    ).__interrupt__[0]!.value.actionRequests;
    const { id, sizeBytes } = storedIn(asked.messages);
    const is = `list_rows: 2,000 records, ${sizeBytes.toLocaleString("en-US")} bytes`;
    expect(request?.args).toEqual({ rows: { $output: id, is } });
    expect(request?.description).toContain(`rows: all of ${is}`);
    expect(JSON.stringify(asked["__interrupt__" as never]).length).toBeLessThan(1000);
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread("h"));
    expect(given).toEqual([{ rows }]);
    const { values } = await agent.graph.getState(thread("h"));
    expect(JSON.stringify(values).length).toBeLessThan(20_000);
    await offloader.close();
  });
});
