import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { referring } from "../../../referring.js";
import {
  type Offloader,
  offloadToolNode,
  type StoredArtifact,
  withOffload,
} from "../../../../src/index.js";
import type { ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import {
  type Args,
  lastTool,
  listRows,
  receiver,
  rows,
  storedIn,
  toolListing,
} from "../../receiving-tool.js";
import { usualAgents } from "./usual-agent.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { agentOf, calling, toolNamed, thread } from "../../agents.js";

const opened = openedOffloaders();
const usualAgent = usualAgents();

it("an argument that is a reference gives a tool 50,000 rows that the conversation never holds", async () => {
  const many = Array.from({ length: 50_000 }, (_, id) => ({ id, city: "Rome" }));
  const passing = usualAgent(({ id }) => ({ rows: { $output: id } }), {
    listing: toolListing(many),
  });
  const messages = await passing.run();
  expect(passing.given).toEqual([{ rows: many }]);
  expect(JSON.stringify(messages.slice(-3)).length).toBeLessThan(2_000);
  expect(passing.offloader.stats("t").references).toBe(1);
});

it("a list parameter gets a list where a document has one result", async () => {
  const listing = toolListing({ labels: [{ id: "bug" }], text: "words ".repeat(9_000) });
  for (const jq of [".labels[]", ".labels", ".labels[].id"]) {
    const passing = usualAgent(({ id }) => ({ rows: { $output: id, jq } }), { listing });
    await passing.run();
    expect(passing.given).toEqual([{ rows: [jq.endsWith("id") ? "bug" : { id: "bug" }] }]);
  }
});

describe("a reference that cannot be resolved", () => {
  const hostile: [string, (stored: StoredArtifact) => unknown, string, number?][] = [
    [
      "to nothing",
      () => ({ $output: "01K15KGTC8AZ5HD2QGHXZ3D0RH" }),
      "No stored output has this id or name. The newest of this session: atlatl-list_rows-",
    ],
    ["to a path", () => ({ $output: "../../etc/passwd" }), "No stored output"],
    [
      "by a jq that loops",
      ({ id }) => ({ $output: id, jq: "last(repeat(1))" }),
      "jq needed too much memory or time",
      700,
    ],
    [
      "to more than the tool takes",
      ({ id }) => ({ $output: id, jq: '"x" * 10000' }),
      "this tool takes at most",
    ],
  ];

  it.each(hostile)(
    "%s is answered, and the tool is not called",
    async (_, reference, problem, timeoutMs = 20_000) => {
      const { given, run } = usualAgent((stored) => ({ rows: reference(stored) }), {
        options: { ...referring({ send_report: true }), drillIn: { timeoutMs } },
      });
      const answer = lastTool(await run());
      expect(answer.status).toBe("error");
      expect(answer.text).toContain(problem);
      expect(answer.text.length).toBeLessThan(1500);
      expect(given).toEqual([]);
    },
  );

  const document = {
    id: "config",
    version: 3,
    items: Array.from({ length: 400 }, (_, id) => ({ id, label: `the label of item ${id}` })),
  };
  const map = Object.fromEntries(
    document.items.map(({ id, label }) => [`k${id}`, { node: id, label }]),
  );
  it.each([
    [".items", document],
    [".node | select(. != null)", map],
  ])("by %s, which gives nothing or null alone, is answered with the fields", async (jq, value) => {
    const { given, run } = usualAgent(({ id }) => ({ rows: { $output: id, jq } }), {
      receiving: receiver(z.object({ rows: z.any() })),
      listing: toolListing(value),
    });
    const answer = lastTool(await run());
    expect(answer.status).toBe("error");
    expect(answer.text).toMatch(/\blabel\b/);
    expect(given).toEqual([]);
  });

  it("does not come out of the data: what they hold is handed over as it is", async () => {
    const inner = { $output: "01K15KGTC8AZ5HD2QGHXZ3D0RH" };
    const trap = toolNamed("list_rows", () =>
      JSON.stringify({ rows: inner, pad: "x y ".repeat(20_000) }),
    );
    const { given, sendReport } = receiver(z.object({ rows: z.any() }));
    const { offloader } = opened(referring({ send_report: true }));
    const turns: ScriptedTurn[] = [
      calling("list_rows"),
      (messages) =>
        calling("send_report", { rows: { $output: storedIn(messages).id, jq: ".rows" } }),
    ];
    const tools = [trap, withOffload(sendReport, { offloader })];
    await agentOf(turns, tools, { offloader }).invoke({ messages: "go" });
    expect(given).toEqual([{ rows: inner }]);
  });
});

describe("every way in", () => {
  let calls = 0;
  const called = (name: string, args: Args) => ({
    messages: [
      new AIMessage({
        content: "",
        tool_calls: [{ id: `call_${(calls += 1)}`, name, args, type: "tool_call" }],
      }),
    ],
  });

  const nodes: [string, (offloader: Offloader, tools: never[]) => ToolNode][] = [
    ["offloadToolNode", (offloader, tools) => offloadToolNode(tools, { offloader })],
    [
      "withOffload",
      (offloader, tools) => new ToolNode(tools.map((one) => withOffload(one, { offloader }))),
    ],
    [
      'withOffload with trace: "descriptor"',
      (offloader, tools) =>
        new ToolNode(tools.map((one) => withOffload(one, { offloader, trace: "descriptor" }))),
    ],
  ];

  it.each(nodes)("%s resolves and refuses", async (_, makeNode) => {
    const schema = z.object({
      rows: z.array(z.object({ id: z.number() }).loose()),
      title: z.string().optional(),
    });
    const { given, sendReport } = receiver(schema);
    const { offloader } = opened(referring({ send_report: true }));
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("tools", makeNode(offloader, [listRows, sendReport] as never[]))
      .addEdge(START, "tools")
      .compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke(called("list_rows", {}), thread("g"));
    const good = called("send_report", { rows: { $output: storedIn(messages).id }, title: "T" });
    expect(lastTool((await graph.invoke(good, thread("g"))).messages).text).toBe("sent");
    expect(given).toEqual([{ rows, title: "T" }]);
    const bad = called("send_report", { rows: { $output: "nothing" } });
    const refused = lastTool((await graph.invoke(bad, thread("g"))).messages);
    expect(refused).toMatchObject({
      status: "error",
      tool_call_id: `call_${calls}`,
      name: "send_report",
    });
    expect(refused.text).toContain("rows: No stored output has this id or name.");
    expect(given).toHaveLength(1);
    const unfit = called("send_report", { rows: { $output: storedIn(messages).id, jq: "{}" } });
    const failed = lastTool((await graph.invoke(unfit, thread("g"))).messages);
    expect(failed.status).toBe("error");
    expect(failed.text.length).toBeLessThan(8200);
  });
});
