import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import type { StructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { getEncoding } from "js-tiktoken";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
  tool,
} from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../../../src/adapters/langchain/with-offload.js";
import type { OffloadOptions } from "../../../../src/options/options.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import {
  type Args,
  lastTool,
  listRows,
  receiver,
  rows,
  storedIn,
  thread,
} from "../../receiving-tool.js";

const opened = openedOffloaders();
const question = { messages: [new HumanMessage("go")] };
const encoding = getEncoding("o200k_base");
const STATED = "list_rows: 2,000 records, 51,066 bytes";

/** An agent that says nothing of references, lists the rows and then makes a call with what they were stored as. */
function usualAgent(
  args: (id: string) => Args,
  {
    receiving = receiver(),
    options = {},
    before = [],
    after = [],
    tools = [],
  }: {
    readonly receiving?: ReturnType<typeof receiver>;
    readonly options?: OffloadOptions;
    readonly before?: readonly AgentMiddleware[];
    readonly after?: readonly AgentMiddleware[];
    readonly tools?: readonly StructuredTool[];
  } = {},
) {
  const { offloader, events } = opened(options);
  let shown: readonly unknown[] = [];
  const last = createMiddleware({
    name: "last",
    wrapModelCall(request, handler) {
      shown = request.tools;
      return handler(request);
    },
  });
  const own = [listRows, receiving.sendReport, ...tools];
  const middleware: AgentMiddleware[] = [
    ...before,
    offloadMiddleware({ offloader }),
    ...after,
    last,
  ];
  const agent = createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: "list_rows", args: {} }] },
      (messages) => ({ toolCalls: [{ name: "send_report", args: args(storedIn(messages).id) }] }),
      "done",
    ]),
    tools: own,
    middleware,
    checkpointer: new MemorySaver(),
  });
  const run = async (id = "t"): Promise<BaseMessage[]> =>
    (await agent.invoke(question, thread(id))).messages;
  const definitions = (): object[] => shown.map((one) => definitionOf(one as StructuredTool));
  return { ...receiving, agent, offloader, events, run, own, shown: () => shown, definitions };
}

const definitionOf = ({ name, description, schema }: StructuredTool): object => ({
  name,
  description,
  parameters: toJsonSchema(schema as never),
});
const tokensOf = (value: unknown): number => encoding.encode(JSON.stringify(value)).length;
const taking = (name: string, shape: Record<string, z.ZodType>): StructuredTool =>
  tool(() => "ok", { name, description: "A tool.", schema: z.object(shape) });

describe("an agent whose tools take data", () => {
  it("hands them over without retyping, and tells of each", async () => {
    const schema = z.object({ rows: z.array(z.any()), body: z.string() });
    const { given, run, events } = usualAgent(
      (id) => ({ rows: { $output: id }, body: { $output: id, jq: "select(.id < 2) | .city" } }),
      { receiving: receiver(schema) },
    );
    const messages = await run();
    expect(given).toEqual([{ rows, body: '["Oslo","Rome"]' }]);
    expect(JSON.stringify(messages).length).toBeLessThan(20_000);
    const { id } = storedIn(messages);
    const told = events.filter(({ type }) => type === "referenced");
    expect(told).toMatchObject(
      ["rows", "body"].map((parameter) => ({ toolName: "send_report", parameter, artifactId: id })),
    );
  });

  it("says so in a few words where the argument is, the rest once in the descriptor", async () => {
    const { run, definitions } = usualAgent(() => ({ rows: [] }));
    const descriptor = (await run()).find((message) => ToolMessage.isInstance(message))?.text ?? "";
    expect(JSON.parse(descriptor).guidance).toContain(
      '{"$output": file_path} as an argument whose description offers it passes this output on',
    );
    const sendReport = definitions().find((one) => Reflect.get(one, "name") === "send_report");
    expect(sendReport).toMatchObject({
      description: "Sends a report.",
      parameters: {
        properties: {
          rows: {
            anyOf: [{ type: "array" }, { type: "object" }],
            description: 'Or {"$output": id}.',
          },
        },
      },
    });
  });

  it("pays at most 150 tokens for the definitions, however many tools take data", async () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      taking(`tool_${n}`, {
        query: z.string(),
        rows: z.array(z.object({ id: z.number() })),
        content: z.string().describe("Text."),
      }),
    );
    for (const references of ["auto", true] as const) {
      const { run, definitions, own } = usualAgent(() => ({ rows: [] }), {
        tools: many,
        options: { references },
      });
      await run();
      const names = new Set(own.map(({ name }) => name));
      const ours = definitions().filter((one) => names.has(Reflect.get(one, "name") as string));
      const added = tokensOf(ours) - tokensOf(own.map(definitionOf));
      expect(added).toBeGreaterThan(100);
      expect(added).toBeLessThanOrEqual(150);
    }
  });

  it("may pass a reference to any of them, told or not", async () => {
    const many = Array.from({ length: 9 }, (_, n) =>
      taking(`tool_${n}`, { rows: z.array(z.any()) }),
    );
    const receiving = receiver(z.object({ ids: z.array(z.number()) }));
    const { run, given, definitions } = usualAgent((id) => ({ ids: { $output: id, jq: ".id" } }), {
      receiving,
      tools: many,
    });
    await run();
    expect(
      JSON.stringify(definitions().find((one) => Reflect.get(one, "name") === "send_report")),
    ).not.toContain("$output");
    expect(given).toEqual([{ ids: rows.map(({ id }) => id) }]);
  });
});

describe("nothing is said and nothing is changed", () => {
  it("where no tool takes data, where references are off, and for tools that never get any", async () => {
    const receiving = receiver(z.object({ query: z.string(), rows: z.any().optional() }));
    const noData = receiver(z.object({ query: z.string() }));
    const off: [typeof receiving, OffloadOptions][] = [
      [noData, {}],
      [receiving, { references: false }],
      [receiving, { references: { never: ["send_report"] } }],
      [receiving, { references: { list_rows: true } }],
    ];
    for (const [one, options] of off) {
      const { run, shown, own, given } = usualAgent(
        (id) => ({ query: "q", rows: { $output: id } }),
        {
          receiving: { ...one, given: one.given.splice(0) },
          options,
        },
      );
      const text = (await run()).find((message) => ToolMessage.isInstance(message))?.text;
      if (!("list_rows" in Object(options.references))) expect(text).not.toContain("$output");
      expect(shown()).toContain(own[1]);
      for (const args of given) expect(args).toMatchObject({ query: "q" });
      expect(JSON.stringify(one.given)).not.toContain("Oslo");
    }
  });

  it("in a tool node and a wrapped tool, which cannot tell whether a person decides", async () => {
    const { sendReport } = receiver();
    const { offloader } = opened();
    expect(withOffload(sendReport, { offloader }).schema).toBe(sendReport.schema);
    expect(offloadToolNode([sendReport], { offloader }).tools[0]?.schema).toBe(sendReport.schema);
  });

  it("for the drill-in tools, also where all tools take references", async () => {
    const { run, shown } = usualAgent(() => ({ rows: [] }), { options: { references: true } });
    await run();
    const drillIns = shown().filter((one) =>
      /_tool_output$/.test(String(Reflect.get(one as object, "name"))),
    );
    expect(drillIns).toHaveLength(4);
    expect(
      JSON.stringify(drillIns.map((one) => definitionOf(one as StructuredTool))),
    ).not.toContain("$output");
  });
});

describe("what only looks like a reference", () => {
  it.each([
    ["a list with one of another kind", [{ $output: "$.result" }]],
    ["an object with more keys", { $output: "$.result", next: 1 }],
    ["a key that names no text", { $output: 7 }],
    ["a text", '{"$output": "x"}'],
  ])("%s is data", async (_, data) => {
    const { given, run } = usualAgent(() => ({ rows: data }), {
      receiving: receiver(z.object({ rows: z.any() })),
    });
    await run();
    expect(given).toEqual([{ rows: data }]);
  });

  it("is answered where it names a stored output", async () => {
    for (const wrong of [
      (id: string) => [{ $output: id }],
      (id: string) => `{"$output":"${id}"}`,
      (id: string) => ({ $output: id, jk: "." }),
    ]) {
      const { given, run } = usualAgent((id) => ({ rows: wrong(id) }), {
        receiving: receiver(z.object({ rows: z.any() })),
      });
      expect(lastTool(await run()).status).toBe("error");
      expect(given).toEqual([]);
    }
  });
});

describe("a person who decides on the call", () => {
  const person: AgentMiddleware = humanInTheLoopMiddleware({
    interruptOn: { send_report: { allowedDecisions: ["approve", "edit"] } },
  } as never) as never;
  const askedOf = (state: unknown): { args: Args; description: string } =>
    (
      state as {
        __interrupt__: { value: { actionRequests: { args: Args; description: string }[] } }[];
      }
    ).__interrupt__[0]!.value.actionRequests[0]!;

  it.each([
    ["before", { before: [person] }],
    ["after", { after: [person] }],
  ])("sees what it hands over, in a middleware that stands %s this one", async (_, around) => {
    const lying = (id: string): Args => ({
      rows: { $output: id, jq: ".city", is: "nothing of value" },
    });
    const { agent, given } = usualAgent(lying, around);
    const asked = await agent.invoke(question, thread("p"));
    const { id } = storedIn(asked.messages);
    const { args, description } = askedOf(asked);
    expect(args).toEqual({ rows: { $output: id, jq: ".city", is: STATED } });
    expect(description).toContain(STATED);
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread("p"));
    expect(given).toEqual([{ rows: rows.map(({ city }) => city) }]);
  });

  it("may change the call, but not to an output of which it would not be true", async () => {
    const { agent, given } = usualAgent((id) => ({ rows: { $output: id } }), { after: [person] });
    const asked = await agent.invoke(question, thread("e"));
    const { args } = askedOf(asked);
    const edited = {
      name: "send_report",
      args: { rows: { ...(args["rows"] as Args), jq: "select(.id == 1)" } },
    };
    await agent.invoke(
      new Command({ resume: { decisions: [{ type: "edit", editedAction: edited }] } }),
      thread("e"),
    );
    expect(given).toEqual([{ rows: [rows[1]] }]);
    const again = usualAgent((id) => ({ rows: { $output: id } }), { after: [person] });
    await again.agent.invoke(question, thread("e"));
    const other = await again.offloader.put(rows.slice(0, 700), { sessionId: "e" });
    const swapped = {
      name: "send_report",
      args: { rows: { $output: other.storedArtifact.id, is: STATED } },
    };
    const { messages } = await again.agent.invoke(
      new Command({ resume: { decisions: [{ type: "edit", editedAction: swapped }] } }),
      thread("e"),
    );
    expect(again.given).toEqual([]);
    expect(lastTool(messages).text).toContain("was not stated when the call was made");
  });

  it("is not passed over where the statement was taken away", async () => {
    const stripping = createMiddleware({
      name: "stripping",
      async wrapModelCall(request, handler) {
        const answer = await handler(request);
        if (!AIMessage.isInstance(answer)) return answer;
        const calls = answer.tool_calls?.map((call) => ({
          ...call,
          args: JSON.parse(JSON.stringify(call.args), (key, value: unknown) =>
            key === "is" ? undefined : value,
          ) as Args,
        }));
        return new AIMessage({ content: answer.text, tool_calls: calls ?? [] });
      },
    });
    const { given, run } = usualAgent((id) => ({ rows: { $output: id } }), { before: [stripping] });
    expect(lastTool(await run()).text).toContain("was not stated when the call was made");
    expect(given).toEqual([]);
  });
});
