import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, humanInTheLoopMiddleware } from "langchain";
import { expect, it } from "vitest";
import * as z from "zod";

import {
  approvalDescription,
  references,
} from "../../../../src/adapters/langchain/references/references.js";
import { askedOf } from "./usual-agent.js";
import { createOffloader, memoryStore } from "../../../../src/index.js";
import { listRows, receiver, storedIn } from "../../receiving-tool.js";
import { agentOf, calling, thread } from "../../agents.js";

it("a person who decides on a call is not told of data that the tool does not get", async () => {
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
    const agent = agentOf(
      [
        calling("list_rows"),
        (messages) => {
          const $output = storedIn(messages).id;
          const args = { rows: { $output }, title: { $output, is } };
          return calling("send_report", args);
        },
      ],
      [listRows, receiver(schema).sendReport],
      { offloader },
      { checkpointer: new MemorySaver(), after: [person] },
    );
    const asked = await agent.invoke({ messages: [new HumanMessage("go")] }, thread("h"));
    expect(askedOf(asked).description).toMatch(told);
    await offloader.close();
  }
});
