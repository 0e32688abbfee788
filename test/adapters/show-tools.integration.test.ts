import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createMiddleware, llmToolSelectorMiddleware } from "langchain";
import { describe, expect, it } from "vitest";

import {
  createDrillInTools,
  memoryStore,
  type OffloadMiddlewareOptions,
  type StoredArtifact,
  withOffload,
} from "../../src/index.js";
import { code as sandbox } from "../../src/plugins/code/code.js";
import { toolsAfterOffload } from "../../src/presets/mcpagent/tools-after-offload.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../opened-offloaders.js";
import { referring } from "../referring.js";
import { agentOf, calling, type MoreOfAgent, thread } from "./agents.js";
import { countRome, question, rowsTool, toolMessages } from "./large-outputs.js";

const opened = openedOffloaders();
const offloader = sharedOffloader();
const later = sharedOffloader({ plugins: [toolsAfterOffload()] });

const drillIns = ["read_tool_output", "grep_tool_output", "jq_tool_output", "sql_tool_output"];
const rowsAndDrillIns = ["list_rows", ...drillIns];
const callRows = calling("list_rows");

/** An agent, and the tools that its model was shown in each call. */
function observed(
  options: OffloadMiddlewareOptions,
  turns: readonly ScriptedTurn[] = [callRows, countRome],
  tools: readonly unknown[] = [rowsTool()],
  more: MoreOfAgent = {},
) {
  const shown: string[][] = [];
  const last = createMiddleware({
    name: "last",
    wrapModelCall(request, handler) {
      shown.push(request.tools.map(({ name }) => String(name)));
      return handler(request);
    },
  });
  const checkpointer = new MemorySaver();
  const agent = agentOf(turns, tools, options, { after: [last], checkpointer, ...more });
  return { agent, shown };
}

describe("the tools that a model is shown", () => {
  it("stay for the thread's later runs, and not for another thread", async () => {
    const { agent, shown } = observed({ offloader: later }, [callRows]);
    await agent.invoke(question, thread("one"));
    await agent.invoke(question, thread("one"));
    expect(shown.at(2)).toContain("jq_tool_output");
    await agent.invoke(question, thread("other"));
    expect(shown.at(4)).toEqual(["list_rows"]);
  });

  it("have the drill-in tools when a wrapped tool has stored an output", async () => {
    const wrapped = withOffload(rowsTool(), { offloader: later, trace: "descriptor" });
    const { agent, shown } = observed({ offloader: later }, [callRows, countRome], [wrapped]);
    const { messages } = await agent.invoke(question, thread("wrapped"));
    expect(shown[1]).toContain("jq_tool_output");
    expect(toolMessages(messages)[1]?.text).toMatch(/^400/);
  });

  it("have the drill-in tools where a line of an aged result names them", async () => {
    const pointer = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sessionKey: "a".repeat(64) };
    const aged = { ...pointer, placeholder: "[aged]" };
    const { agent, shown } = observed({ offloader: later }, ["done"]);
    const messages = [
      new HumanMessage("go"),
      new AIMessage({ content: "", tool_calls: [{ name: "list_rows", args: {}, id: "c1" }] }),
      new ToolMessage({
        content: "[aged]",
        name: "list_rows",
        tool_call_id: "c1",
        response_metadata: { "langchain-offload-aging": aged },
      }),
      new HumanMessage("And now?"),
    ];
    await agent.invoke({ messages }, thread("aged"));
    expect(shown[0]).toEqual(rowsAndDrillIns);
  });

  it("have the drill-in tools where the rule access is asked, since an id may come with any message", async () => {
    const sharing = { store: memoryStore(), access: () => ["owner"] };
    const { agent, shown } = observed({ ...sharing, plugins: [toolsAfterOffload()] }, ["Done."]);
    await agent.invoke(question, thread("reader"));
    expect(shown).toEqual([rowsAndDrillIns]);
  });

  it("run when the model calls one before it was shown", async () => {
    const early = calling("jq_tool_output", { id: "none", filter: "." });
    const { agent } = observed({ offloader: later }, [early]);
    const { messages } = await agent.invoke(question, thread("early"));
    expect(toolMessages(messages)[0]?.text).toContain("No stored output");
  });
});

it.each([
  ["always", []],
  ["after-first-offload", [toolsAfterOffload()]],
])(
  "L2: a selector of tools around the middleware does not take the drill-in tools away once something was offloaded (%s)",
  async (_, plugins) => {
    // Its model picks the rows; its own types do not fit a strict project.
    const withStructuredOutput = () => ({ invoke: async () => ({ tools: ["list_rows"] }) });
    const model = Object.assign(scriptedModel([]), { withStructuredOutput });
    const picking = llmToolSelectorMiddleware({ maxTools: 1, model } as never);
    const more = { before: [picking] };
    const { agent, shown } = observed(
      { offloader: opened({ plugins }).offloader },
      undefined,
      undefined,
      more,
    );
    const { messages } = await agent.invoke(question, thread("selected"));
    expect(shown[0]).toEqual(["list_rows"]);
    expect(shown[1]).toEqual(rowsAndDrillIns);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
  },
);

const seeing = (seen: unknown[], name: string) =>
  createMiddleware({
    name: "last",
    wrapModelCall(request, handler) {
      seen.push(...request.tools.filter((tool) => tool.name === name));
      return handler(request);
    },
  });

it("L3: a tool that takes references keeps what providers read beside its name, description and schema", async () => {
  const seen: unknown[] = [];
  const last = seeing(seen, "list_rows");
  const extras = { defer_loading: true, cache_control: { type: "ephemeral" } };
  const rows = Object.assign(rowsTool(), { extras, metadata: { team: "visits" } });
  const options = referring({ list_rows: ["only"] });
  await agentOf([callRows, countRome], [rows], options, { after: [last] }).invoke(question);
  expect(seen[0]).toMatchObject({ extras, metadata: { team: "visits" } });
  expect(JSON.stringify(seen[0])).toContain("$output");
});

it("the drill-in tools are closed objects with required members in a strict call, and read as ever", async () => {
  const seen: { schema: { required: string[]; properties: object } }[] = [];
  const strict = createMiddleware({
    name: "strict",
    wrapModelCall: (request, handler) => handler({ ...request, modelSettings: { strict: true } }),
  });
  const around = { before: [strict], after: [seeing(seen, "jq_tool_output")] };
  const agent = agentOf([callRows, countRome], [rowsTool()], { offloader }, around);
  const { messages } = await agent.invoke(question);
  const [jq] = seen;
  expect(jq?.schema).toMatchObject({ type: "object", additionalProperties: false });
  expect(jq?.schema.required).toEqual(Object.keys(jq?.schema.properties ?? {}));
  expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
});

it("L4: the drill-in tools of an offloader may stand beside its middleware, and the model is shown each once, the same in every call", async () => {
  const tools = [rowsTool(), ...createDrillInTools(offloader)];
  const { agent, shown } = observed({ offloader }, undefined, tools);
  const { messages } = await agent.invoke(question, thread("beside"));
  expect(shown).toEqual(Array.from({ length: 3 }, () => rowsAndDrillIns));
  expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
});

const codeOffloader = sharedOffloader({
  plugins: [sandbox()],
  drillIn: { maxAnswerTokens: 1_000 },
});

/** What the messages of tools carry, in their order. */
const storedIn = (messages: readonly BaseMessage[]): readonly StoredArtifact[] =>
  toolMessages(messages).flatMap(({ artifact = [] }) => artifact as StoredArtifact[]);
const saves: ScriptedTurn = (messages) =>
  calling("code_tool_output", {
    code: `const found = [...outputs.open("${storedIn(messages)[0]?.id}")];
      outputs.save("some rows", found.slice(0, 100));
      return found;`,
  });

it("what code has saved is within reach of a copy of the thread, in no message whole, and read back without a thread by the message that carries it", async () => {
  const checkpointer = new MemorySaver();
  const run = (turns: readonly ScriptedTurn[], more: MoreOfAgent = {}) =>
    agentOf(turns, [rowsTool()], { offloader: codeOffloader }, more);
  const first = await run([callRows, saves], { checkpointer }).invoke(question, thread("code"));
  const id = storedIn(first.messages)[1]?.id;
  const counts = calling("jq_tool_output", { id, filter: "length", slurp: true });
  const copied = run([counts], { checkpointer });
  const { values } = await copied.graph.getState(thread("code"));
  const { _offloads } = values as { _offloads: Record<string, string> };
  await copied.graph.updateState(thread("a copy"), { _offloads }, "tools");
  const again = await copied.invoke({ messages: "More" }, thread("a copy"));
  expect(toolMessages(again.messages).at(-1)?.text).toMatch(/^100\n/);
  expect(JSON.stringify(first.messages).length).toBeLessThan(30_000);

  const { messages } = await run([callRows, saves]).invoke(question);
  const args = { id: storedIn(messages)[1]?.id, filter: ".city" };
  const later = await run([calling("jq_tool_output", args)]).invoke({
    messages: [...messages, { role: "user", content: "More" }],
  });
  expect(toolMessages(later.messages).at(-1)?.text).toContain('"Rome"');
});
