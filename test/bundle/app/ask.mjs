import { createAgent, tool } from "langchain";
import { offloadMiddleware } from "langchain-offload";
import { scriptedModel } from "langchain-offload/testing";
import { z } from "zod";

const listVisits = tool(
  () =>
    JSON.stringify(
      Array.from({ length: 3000 }, (_, id) => ({ id, city: id % 3 ? "Rome" : "Oslo" })),
    ),
  { name: "list_visits", description: "Lists all visits.", schema: z.object({}) },
);

/** What a user's application does: an agent whose tool gives a large output, which each tool then reads a part of. */
export async function ask({ sql = false } = {}) {
  const call = (name, args) => (messages) => {
    const { id } = messages.find((message) => message.artifact?.id).artifact;
    return { toolCalls: [{ name, args: { id, ...args } }] };
  };
  const turns = [
    { toolCalls: [{ name: "list_visits", args: {} }] },
    call("jq_tool_output", { filter: 'map(select(.city == "Oslo")) | length', slurp: true }),
    call("grep_tool_output", { pattern: '"id":19\\d\\d,', max_results: 1 }),
    call("read_tool_output", { start_record: 2999, end_record: 2999 }),
    ...(sql ? [call("sql_tool_output", { query: "SELECT sum(id) AS total FROM output" })] : []),
  ];
  const agent = createAgent({
    model: scriptedModel(turns),
    tools: [listVisits],
    middleware: [offloadMiddleware({ drillIn: sql ? { sql: {} } : {} })],
  });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Visits?" }] });
  const answers = messages.filter((message) => message.type === "tool");
  return { tokens: answers[0].artifact.tokens, texts: answers.slice(1).map(({ text }) => text) };
}
