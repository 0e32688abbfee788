import type { StructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  createAgent,
  createMiddleware,
  humanInTheLoopMiddleware,
} from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  approvalDescription,
  references,
} from "../../../../src/adapters/langchain/references/references.js";
import { memoryStore, offloadMiddleware } from "../../../../src/index.js";
import {
  FIRST_REFERENCE_NOTE,
  REFERENCE_NOTE,
} from "../../../../src/plugins/references/reference.js";
import { scriptedModel, type ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { referring } from "../../../referring.js";
import { agentOf, calling, toolNamed, thread } from "../../agents.js";
import { type Args, lastTool, listRows, receiver, rows, storedIn } from "../../receiving-tool.js";
import { askedOf, definitionOf, question, usualAgents } from "./usual-agent.js";

const usualAgent = usualAgents();
const STATED = "list_rows: 2,000 records, 51,066 bytes";
const decided = (decision: object): Command => new Command({ resume: { decisions: [decision] } });
const approved = decided({ type: "approve" });
const editedTo = (rows: Args): Command =>
  decided({ type: "edit", editedAction: { name: "send_report", args: { rows } } });

describe("a person who decides on the call", () => {
  const person: AgentMiddleware = humanInTheLoopMiddleware({
    interruptOn: { send_report: { allowedDecisions: ["approve", "edit"] } },
  } as never) as never;

  it.each([
    ["before", { before: [person] }],
    ["after", { after: [person] }],
  ])("sees what it hands over, in a middleware that stands %s this one", async (_, around) => {
    const lying = ({ id }: { id: string }): Args => ({
      rows: { $output: id, jq: ".city", is: "nothing of value" },
    });
    const { invoke, given } = usualAgent(lying, around);
    const asked = await invoke(question, "p");
    const { id } = storedIn(asked.messages);
    const { args, description } = askedOf(asked);
    expect(args).toEqual({ rows: { $output: id, jq: ".city", is: STATED } });
    expect(description).toContain(STATED);
    await invoke(approved, "p");
    expect(given).toEqual([{ rows: rows.map(({ city }) => city) }]);
  });

  it("sees what it hands over where the call names it by its title", async () => {
    const call = (): Args => ({ rows: { $output: "all the rows" } });
    const { invoke, given, offloader } = usualAgent(call, { after: [person] });
    await offloader.put(rows, { sessionId: "t", title: "all the rows" });
    expect(askedOf(await invoke(question, "t")).description).toContain("2,000 records");
    await invoke(approved, "t");
    expect(given).toEqual([{ rows }]);
  });

  it("may change the call, but not to an output of which it would not be true", async () => {
    const args = ({ id }: { id: string }): Args => ({ rows: { $output: id } });
    const { invoke, given, offloader } = usualAgent(args, { after: [person] });
    const asked = askedOf(await invoke(question, "e")).args;
    await invoke(editedTo({ ...(asked["rows"] as Args), jq: "select(.id == 1)" }), "e");
    expect(given.splice(0)).toEqual([{ rows: [rows[1]] }]);
    await invoke(question, "f");
    const other = await offloader.put(rows.slice(0, 700), { sessionId: "f" });
    const swapped = editedTo({ $output: other.storedArtifact.id, is: STATED });
    const { messages } = await invoke(swapped, "f");
    expect(given).toEqual([]);
    expect(lastTool(messages).text).toContain("was not stated when the call was made");
  });

  it.each(["expired", "was deleted before its time"])(
    "S14: is told at once that the output %s meanwhile, as a drill-in tells it",
    async (fate) => {
      let nowMs = Date.now();
      const now = (): number => nowMs;
      const options = { now, store: memoryStore({ now }) };
      const call = ({ id }: { id: string }): Args => ({ rows: { $output: id } });
      const { invoke, given, offloader, events } = usualAgent(call, { after: [person], options });
      const asked = await invoke(question, "g");
      const { id, sessionKey } = storedIn(asked.messages);
      if (fate === "expired") nowMs += offloader.options.ttlMs;
      else await offloader.store.delete(id, sessionKey);
      const told = lastTool((await invoke(approved, "g")).messages).text;
      const { text } = await offloader.drillIn.run("read", { id }, { sessionKey });
      expect(text).toContain(fate);
      expect(told).toContain(text);
      expect(given).toEqual([]);
      expect(events.filter(({ type }) => type === "referenced")).toMatchObject([{ failed: true }]);
    },
  );
});

const opened = openedOffloaders();
type Middleware = ReturnType<typeof offloadMiddleware>;

/** What models were told of a tool's parameter, in order. */
function observer(toolName: string, parameter: string) {
  const told: unknown[] = [];
  const middleware = createMiddleware({
    name: "observer",
    wrapModelCall(request, handler) {
      const shown = request.tools.find(({ name }) => name === toolName);
      const definition = shown && definitionOf(shown as StructuredTool);
      const { parameters } = definition as { parameters: { properties: Record<string, object> } };
      told.push(Reflect.get(parameters.properties[parameter] ?? {}, "description"));
      return handler(request);
    },
  });
  return { told, middleware };
}

const passing: ScriptedTurn[] = [
  calling("list_rows"),
  (messages) => calling("send_report", { rows: { $output: storedIn(messages).id } }),
];

async function pass(middleware: Middleware, tools: readonly StructuredTool[], id: string) {
  const agent = createAgent({
    model: scriptedModel(passing),
    tools: [...tools],
    middleware: [middleware],
  });
  return (await agent.invoke(question, thread(id))).messages;
}

it("agents that share a middleware judge their tools by what they are, and not by another agent's of the same name", async () => {
  const { given, sendReport } = receiver();
  const other = receiver(z.object({ number: z.number() }));
  const middleware = offloadMiddleware({ offloader: opened(referring("auto")).offloader });
  await pass(middleware, [listRows, sendReport], "one");
  await createAgent({
    model: scriptedModel(["hello"]),
    tools: [other.sendReport],
    middleware: [middleware],
  }).invoke(question, thread("other"));
  const messages = await pass(middleware, [listRows, sendReport], "two");
  expect(lastTool(messages).text).toBe("sent");
  expect(given).toEqual([{ rows }, { rows }]);
});

it("a conversation whose tools are made anew for each call of its model has the same definitions in every call", async () => {
  const make = (): StructuredTool[] =>
    ["write", "send_report", "draw", "plot", "save", "keep"].map((name) =>
      toolNamed(name, () => "ok", z.object({ rows: z.array(z.any()) })),
    );
  const dynamic = createMiddleware({
    name: "dynamic",
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: [...request.tools, ...make()] }),
    wrapToolCall: (request, handler) => {
      const made = make().find(({ name }) => name === request.toolCall.name);
      return handler(made === undefined ? request : { ...request, tool: made });
    },
  });
  const first = observer("write", "rows");
  const second = observer("send_report", "rows");
  const last = observer("keep", "rows");
  const { offloader } = opened(referring("auto"));
  const agent = agentOf(
    [...passing, ...passing],
    [listRows],
    { offloader },
    {
      before: [dynamic],
      after: [first, second, last].map(({ middleware }, index) => ({
        ...middleware,
        name: `observer ${index}`,
      })),
    },
  );
  const { messages } = await agent.invoke(question, { ...thread("t"), recursionLimit: 60 });
  expect(lastTool(messages).text).toBe("ok");
  expect(first.told).toEqual(Array.from({ length: 5 }, () => FIRST_REFERENCE_NOTE));
  expect(second.told).toEqual(Array.from({ length: 5 }, () => REFERENCE_NOTE));
  expect(last.told).toEqual(Array.from({ length: 5 }, () => undefined));
});

it("a tool that a middleware after this one supplies is given a text where its schema wants one", async () => {
  const { given, sendReport } = receiver(z.object({ rows: z.string() }));
  const { offloader } = opened(referring({ send_report: true }));
  const agent = agentOf(
    passing,
    [listRows],
    { offloader },
    {
      before: [
        createMiddleware({
          name: "shows",
          wrapModelCall: (request, handler) =>
            handler({ ...request, tools: [...request.tools, sendReport] }),
        }),
      ],
      after: [
        createMiddleware({
          name: "supplies",
          wrapToolCall: (request, handler) =>
            handler(request.tool === undefined ? { ...request, tool: sendReport } : request),
        }),
      ],
    },
  );
  const { messages } = await agent.invoke(question, thread("t"));
  expect(lastTool(messages).text).toBe("sent");
  expect(given).toEqual([{ rows: JSON.stringify(rows) }]);
});

it("a person who decides on a call is not told of data that the tool does not get", async () => {
  const named = { send_report: { plugins: { references: false as const } } };
  const all = /\nrows: all of list_rows: 2,000 records, 51,066 bytes$/;
  for (const [perTool, told, own] of [
    [{}, all, {}],
    [{}, all, { session: () => "own" }],
    [named, /\}$/, {}],
  ] as const) {
    const { offloader } = opened({ plugins: [references()], perTool });
    const description = approvalDescription(offloader);
    const interruptOn = { send_report: { allowedDecisions: ["approve"], description } };
    const schema = z.object({ rows: z.any(), title: z.object({ $output: z.string() }) });
    const agent = agentOf(
      [
        calling("list_rows"),
        (messages) => {
          const $output = storedIn(messages).id;
          return calling("send_report", { rows: { $output }, title: { $output, is: STATED } });
        },
      ],
      [listRows, receiver(schema).sendReport],
      { offloader, ...own },
      {
        checkpointer: new MemorySaver(),
        after: [humanInTheLoopMiddleware({ interruptOn } as never)],
      },
    );
    expect(askedOf(await agent.invoke(question, thread("h"))).description).toMatch(told);
  }
});
