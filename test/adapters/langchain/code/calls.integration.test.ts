import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";

import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { createAgent, createMiddleware, toolRetryMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  createOffloader,
  memoryStore,
  offloadFrom,
  offloadMiddleware,
  sessionKeyOf,
  withOffload,
} from "../../../../src/index.js";
import { code } from "../../../../src/plugins/code/code.js";
import { scriptedModel } from "../../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { answers, codeAgent, toolThat } from "./rig.js";

/** Code that counts the records of a large result. */
const COUNT = (name: string): string =>
  `let count = 0; for (const { id } of await tools.${name}({})) count += id >= 0; return count`;
const rowsOf = (length: number): string =>
  JSON.stringify(Array.from({ length }, (_, id) => ({ id, text: `row ${id}` })));

describe("tools that code calls", () => {
  it("give the code their data, parsed and whole, and the model only what the code returned (langchain #34130)", async () => {
    const { ask, accessLog, told } = codeAgent(
      'const found = await tools.search_issues({ query: "a" }); return found.filter((one) => one.open).map((one) => one.id)',
    );
    const all = answers((await ask()).messages);
    expect(all).toEqual([expect.stringContaining('["a-1"]')]);
    expect(accessLog.found).toEqual(["a"]);
    expect(told()).toEqual(["call_1_0.0 search_issues returned"]);
  });

  it("throw in the code what the tool threw, no value that looks like data, and the agent goes on (fastmcp #4969)", async () => {
    const { answer, told } = codeAgent(
      "try { const value = await tools.broken({}); return 'a value: ' + value } catch (error) { return 'caught: ' + error.message }",
    );
    expect(await answer()).toContain("caught: the tracker is down");
    expect(told()).toEqual(["call_1_0.0 broken failed"]);
  });

  it("check arguments by their schema, and say in the code what it says", async () => {
    const { answer, accessLog } = codeAgent(
      "try { await tools.search_issues({ query: 7 }) } catch (error) { return error.message }",
    );
    const text = await answer();
    expect(text).toContain("expected string");
    expect(text).not.toMatch(/\.[jt]s:\d/);
    expect(accessLog.found).toEqual([]);
  });

  it("are those of the list, by exactly that name, and never code in code", async () => {
    const names = [
      "delete_issue",
      "Search_issues",
      "search_issues ",
      "__proto__",
      "constructor",
      "read_tool_output",
      "code_tool_output",
      "",
    ];
    const { answer, accessLog, told } = codeAgent(
      `const said = []; for (const name of ${JSON.stringify(names)}) try { await tools[name]({ id: "a" }) } catch (error) { said.push(error.message) } return said.length`,
      { calls: { tools: ["search_issues", "read_tool_output", "code_tool_output"] } },
    );
    expect(await answer()).toMatch(/^[78]$/m);
    expect(accessLog).toEqual({ found: [], deleted: [] });
    expect(told().every((line) => line.endsWith("refused"))).toBe(true);
  });

  it("go through the middleware that is listed after ours, which is told of them as of any call", async () => {
    const seen: string[] = [];
    let tries = 0;
    const flaky = toolThat("flaky", () => {
      tries += 1;
      if (tries < 3) throw new Error("try again");
      return "at last";
    });
    const audit = createMiddleware({
      name: "audit",
      wrapToolCall: async (request, handler) => {
        seen.push(`${request.toolCall.id} ${request.toolCall.name}`);
        return await handler(request);
      },
    });
    const { answer } = codeAgent("return await tools.flaky({})", {
      tools: [flaky],
      calls: { tools: ["flaky"] },
      after: [audit, toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1, jitter: false })],
    });
    expect(await answer()).toContain("at last");
    expect(seen).toEqual(["call_1_0 code_tool_output", "call_1_0.0 flaky"]);
    expect(tries).toBe(3);
  });

  it("go on at once, as many as the limit says, and are refused beyond the number that one run may make", async () => {
    let [now, most] = [0, 0];
    const slow = toolThat("slow", async () => {
      most = Math.max(most, (now += 1));
      await setTimeout(5);
      now -= 1;
      return "1";
    });
    const { answer, told } = codeAgent(
      "const all = await Promise.all(Array.from({ length: 21 }, () => tools.slow({}).catch((error) => error.message))); return [all.filter((one) => one === 1).length, all.at(-1)]",
      {
        tools: [slow],
        calls: { tools: ["slow"] },
        limits: { maxToolCallsAtOnce: 4, maxToolCalls: 20 },
      },
    );
    expect(await answer()).toMatch(/20,"One run makes at most 20 calls/);
    expect(most).toBe(4);
    expect(told()).toHaveLength(20);
  });

  it("have their time, after which what goes on is left alone", async () => {
    let ended = false;
    const endless = toolThat("endless", async () => {
      await setTimeout(300);
      ended = true;
    });
    const { answer, told } = codeAgent(
      "const said = []; for (let i = 0; i < 2; i += 1) await tools.endless({}).catch((error) => said.push(error.message)); return said",
      { tools: [endless], calls: { tools: ["endless"] }, limits: { toolTimeoutMs: 20 } },
    );
    const text = await answer();
    expect(ended).toBe(false);
    expect(text.match(/is over/g)).toHaveLength(2);
    expect(told()).toEqual(["call_1_0.0 endless abandoned", "call_1_0.1 endless refused"]);
  });

  it("store a large result first, and the code reads it as a stored output, record by record (langchain #34130)", async () => {
    const { answer, events, store } = codeAgent(COUNT("rows"), {
      tools: [toolThat("rows", () => rowsOf(500))],
      calls: { tools: ["rows"] },
      limits: { maxInlineResultBytes: 1000 },
    });
    expect(await answer()).toContain("500");
    const called = events.find((event) => event.type === "tool-called");
    const id = called?.type === "tool-called" ? called.artifactId : undefined;
    const stored = await store.stat(id ?? "", sessionKeyOf("thread"));
    expect(stored).toMatchObject({ recordCount: 500, toolName: "rows" });
  });

  it("give the data where the tool offloads its own output", async () => {
    const store = memoryStore();
    const offloader = createOffloader({ store });
    const wrapped = withOffload(
      toolThat("wrapped", () => rowsOf(900)),
      { offloader },
    );
    const { answer, events } = codeAgent(COUNT("wrapped"), {
      tools: [wrapped],
      store,
      calls: { tools: ["wrapped"] },
    });
    expect(await answer()).toContain("900");
    const called = events.find((event) => event.type === "tool-called");
    expect(called).toMatchObject({ outcome: "returned", resultBytes: rowsOf(900).length });
  });

  it("give the data of a stream whole", async () => {
    const given = toolThat("given", () => Readable.from([`{"total":900,"rows":${rowsOf(900)}}`]));
    const asked = { tools: [given], calls: { tools: ["given"] } };
    const { answer } = codeAgent("return (await tools.given({})).total", asked);
    expect(await answer()).toContain("900");
  });

  it("do not change the state of the agent, and say so (deepagents #5650)", async () => {
    const stateful = toolThat(
      "write_todos",
      () => new Command({ update: { messages: [], todos: ["x"] } }),
    );
    const { answer, told } = codeAgent(
      "print(await tools.write_todos({}).catch((error) => error.message))",
      { tools: [stateful], calls: { tools: ["write_todos"] } },
    );
    expect(await answer()).toContain("write_todos changes the state of the agent");
    expect(told()).toEqual(["call_1_0.0 write_todos refused"]);
  });

  it("are told of once each when the run is ended while they go on", async () => {
    const { ask, told, store } = codeAgent(
      "await tools.search_issues({ query: 'a' }); tools.slow({}); tools.slow({}); for (;;);",
      {
        tools: [toolThat("slow", async () => await setTimeout(3000, "late"))],
        calls: { tools: ["slow", "search_issues"] },
        offload: { drillIn: { timeoutMs: 500 } },
      },
    );
    await ask();
    await setTimeout(250);
    expect(told()).toEqual([
      "call_1_0.0 search_issues returned",
      "call_1_0.1 slow abandoned",
      "call_1_0.2 slow abandoned",
    ]);
    expect((await store.list(sessionKeyOf("thread"))).artifacts).toEqual([]);
  });

  it("are named in the definition, and no others, nor those that ask a person; of what the agent has not is told once", async () => {
    const interruptOn = { delete_issue: true, delete_issues: true };
    const calls = { tools: ["search_issues", "delete_issue", "search_issue"], interruptOn };
    const { ask, definitionOf, events } = codeAgent("return 1", { calls });
    await ask();
    await ask();
    expect(definitionOf("code_tool_output")).toMatch(/: tools\.search_issues\.$/m);
    expect(definitionOf("code_tool_output")).not.toMatch(/broken|search_issue\b|delete_issue/);
    expect(events.filter(({ type }) => type === "unknown-tool")).toMatchObject([
      { option: "code.tools", toolName: "search_issue" },
      { option: "code.interruptOn", toolName: "delete_issues" },
    ]);
    const many = Array.from({ length: 30 }, (_, n) => toolThat(`search_all_${n}`, () => ""));
    const listed = { tools: many.map(({ name }) => name) };
    const other = codeAgent("return 1", { calls: listed, tools: many });
    await other.ask();
    expect(other.definitionOf("code_tool_output")).toHaveLength(1024);
  });
});

describe("results of tools that code calls", () => {
  it("are texts where they look like numbers, and data where they are", async () => {
    const given = ["3.10", "1234e56", "1e400", "007", '"quoted"', "3.5", "true", "null", " [1]"];
    const saying = toolThat(
      "saying",
      ({ at }: { at: number }) => given[at],
      z.object({ at: z.number() }),
    );
    const code = `return await Promise.all([${[...given.keys()].join()}].map((at) => tools.saying({ at })))`;
    const { answer } = codeAgent(code, { tools: [saying], calls: { tools: ["saying"] } });
    expect(await answer()).toContain(
      JSON.stringify(["3.10", "1234e56", "1e400", "007", "quoted", 3.5, true, null, [1]]),
    );
  });

  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const says = (text: string) => ({ type: "text", text });
  const resource = { type: "resource", resource: { uri: "a:b", text: "row ".repeat(20) } };
  const page = [says(rowsOf(900)), says('Page 1 of 7.\nnext "abc123"')];
  const told = String.raw`small also gave: "Page 1 of 7.\nnext \"abc123\"`;
  const seen = "[an image or a file, seen only where the tool is called outside of code]";
  const refused = [says('{"error":"unknown plan"}'), says("Retry with plan=B"), image];
  const error = new ToolMessage({ status: "error", tool_call_id: "", content: refused });
  const [store, tools] = [memoryStore(), ["small"]];

  it.each([
    ["a remark, once", page, `900\n${told}"`],
    ["an image", [...page, image], `900\n${told}\\n${seen}"`],
    ["no resource whose text the code has", [says("row"), resource], "0"],
    ["all texts of an error", error, 'Retry with plan=B\n{"error":"unknown plan"}\nLine 1'],
  ])("tell the model what came beside them: %s", async (_, given, text) => {
    const small = toolThat("small", () => given);
    const code = `await tools.small({}); ${COUNT("small")}`;
    for (const one of [small, withOffload(small, { offloader: createOffloader({ store }) })])
      expect(await codeAgent(code, { tools: [one], store, calls: { tools } }).answer()).toBe(text);
  });

  it("are exceptions where they are nothing but an image", async () => {
    const code =
      "try { return await tools.drawing({}) } catch (error) { return 'caught: ' + error.message }";
    const tools = [toolThat("drawing", () => [image])];
    const { answer } = codeAgent(code, { tools, calls: { tools: ["drawing"] } });
    expect(await answer()).toContain("caught: drawing gives no text");
  });
});

const opened = openedOffloaders();
const GIVE = "return await tools.give({})";

const rows = Array.from({ length: 3000 }, (_, id) => ({ id }));

it.each([
  [
    "the data of a stream, as in a direct call",
    toolThat("give", () => Readable.from(rows.slice(0, 3))),
    '[{"id":0},{"id":1},{"id":2}]',
  ],
  [
    "a descriptor of what the tool has offloaded by hand",
    toolThat(
      "give",
      async (_, config) => `Report: ${await offloadFrom(config)(rows, { form: "bare" })}`,
    ),
    'Report: {"offloaded":true',
  ],
])("a tool may give code %s", async (_, one, text) => {
  const { answer } = codeAgent(GIVE, { tools: [one], calls: { tools: ["give"] } });
  expect(await answer()).toContain(text);
});

it("code is told of a fault of its store in words, and nothing of what is within", async () => {
  const store = { ...memoryStore(), stat: () => Promise.reject(new TypeError("10.0.0.1")) };
  const { answer } = codeAgent("return outputs.read('01ARZ3NDEKTSV4RRFFQ69G5FAV')", { store });
  expect(await answer()).toMatch(/^(?!.*10\.0\.0)[^]*internal fault/);
});

it("code calls the tools of its own agent, where several share a middleware", async () => {
  const { offloader } = opened({ plugins: [code({ tools: ["give"], interruptOn: {} })] });
  const middleware = offloadMiddleware({ offloader });
  const run = async (user: string): Promise<string | undefined> => {
    const call = { name: "code_tool_output", args: { code: GIVE }, id: "call" };
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [call] }]),
      tools: [toolThat("give", () => ({ of: user }))],
      middleware: [middleware],
    });
    const thread = { configurable: { thread_id: user } };
    return answers((await agent.invoke({ messages: "go" }, thread)).messages)[0];
  };
  const found = await Promise.all(["ada", "bob"].map((user) => run(user)));
  expect(found[0]).toContain('{"of":"ada"}');
  expect(found[1]).toContain('{"of":"bob"}');
});
