import { readFileSync } from "node:fs";

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { expect, it } from "vitest";
import * as z from "zod";

import { fileStore } from "../../../src/index.js";
import { temporaryDirectories } from "../../core/store/temporary-directory.js";
import { agentOf, calling, toolNamed } from "../agents.js";
import { artifactsOf, toolMessages } from "../large-outputs.js";

const makeDirectory = temporaryDirectories();
const rows = Array.from({ length: 800 }, (_, id) => ({
  id,
  city: ["Rome", "Oslo", "Lima"][id % 3],
  size: id * 3,
}));
const ask = { messages: [new HumanMessage("go")] };

it("an agent with a large tool output keeps parallel calls apart", async () => {
  const numbered = toolNamed(
    "numbered",
    ({ n }) => JSON.stringify(rows.map((row) => ({ ...row, n }))),
    z.object({ n: z.number() }),
  );
  const name = "numbered";
  const toolCalls = Array.from({ length: 60 }, (_, n) => ({ name, args: { n }, id: `call ${n}` }));
  const store = fileStore({ directory: await makeDirectory() });
  const { messages } = await agentOf([{ toolCalls }], [numbered], { store }).invoke(ask);
  const artifacts = artifactsOf(messages);
  expect(artifacts).toHaveLength(60);
  for (const [n, message] of toolMessages(messages).entries()) {
    expect(message.tool_call_id).toBe(`call ${n}`);
    const lines = readFileSync(artifacts[n]?.filePath ?? "", "utf8")
      .trimEnd()
      .split("\n")
      .slice(1);
    expect(lines.every((line) => JSON.parse(line).n === n)).toBe(true);
  }
});

it("a tool may return a message of its own, which keeps its id and metadata", async () => {
  const own = {
    id: "m-1",
    name: "subject",
    additional_kwargs: { a: 1 },
    response_metadata: { b: 2 },
  };
  const subject = toolNamed("subject", (_, { toolCall }) => {
    const said = { content: JSON.stringify(rows), tool_call_id: toolCall?.id ?? "" };
    return new ToolMessage({ ...own, ...said, artifact: rows });
  });
  const { messages } = await agentOf([calling("subject")], [subject]).invoke(ask);
  const [message] = toolMessages(messages);
  expect(message).toMatchObject(own);
  expect(message?.artifact).toMatchObject({ recordCount: 800 });
  expect(JSON.stringify(message)).not.toContain('Oslo\\",\\"size\\":2394');
});

it("inner middleware still changes the raw output", async () => {
  const redact = createMiddleware({
    name: "redact",
    async wrapToolCall(request, handler) {
      const message = (await handler(request)) as ToolMessage;
      const content = message.text.replaceAll("Rome", "****");
      return new ToolMessage({ content, tool_call_id: message.tool_call_id, name: "list_rows" });
    },
  });
  const listRows = toolNamed("list_rows", () => JSON.stringify(rows));
  const store = fileStore({ directory: await makeDirectory() });
  const agent = agentOf([calling("list_rows")], [listRows], { store }, { after: [redact] });
  const [artifact] = artifactsOf((await agent.invoke(ask)).messages);
  expect(readFileSync(artifact?.filePath ?? "", "utf8")).not.toContain("Rome");
});
