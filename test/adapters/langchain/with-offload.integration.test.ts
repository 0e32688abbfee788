import { Readable } from "node:stream";

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { DynamicTool, StructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  type Offloader,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
  type WithOffloadOptions,
} from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";
import { calling, toolNamed } from "../agents.js";
import { artifactsOf, handWrittenGraph, rows, rowsTool, toolMessages } from "../large-outputs.js";

const offloader = sharedOffloader();

const full = JSON.stringify(rows);
const thread = { configurable: { thread_id: "t-tool" } };
const call = { type: "tool_call" as const, name: "list_rows", args: {}, id: "c1" };
const isDescriptor = expect.stringMatching(/^\{"offloaded":true/);
const traces = ["original", "descriptor"] as const;

/** What the callbacks of a tool run hear. */
class Listener extends BaseCallbackHandler {
  readonly name = "listener";
  readonly heard: string[] = [];
  readonly events: unknown[] = [];
  override handleToolEnd(output: unknown): void {
    this.heard.push(JSON.stringify(output));
  }
  override handleToolEvent(chunk: unknown): void {
    this.events.push(chunk);
  }
}

describe.each(traces)("a tool wrapped with trace: %s", (trace) => {
  const options: WithOffloadOptions = { offloader, trace };

  it("offloads, and the given tool called directly still gives the whole value", async () => {
    const given = rowsTool();
    const wrapped = withOffload(given, options);
    const message: ToolMessage = await wrapped.invoke(call, thread);
    expect(message).toMatchObject({ content: isDescriptor, name: "list_rows", tool_call_id: "c1" });
    expect(message.status).toBe("success");
    expect(message.artifact).toMatchObject({ recordCount: 800, toolName: "list_rows", args: {} });
    expect(await given.invoke({})).toBe(full);
    expect((await given.invoke(call)).content).toBe(full);
  });

  it("is the given tool in name, description, schema and class", () => {
    const given = rowsTool();
    const wrapped = withOffload(given, options);
    expect(wrapped).not.toBe(given);
    expect(wrapped).toBeInstanceOf(StructuredTool);
    expect(wrapped.schema).toBe(given.schema);
    expect(Object.keys(wrapped)).toEqual(["name", "description", "schema"]);
    expect([wrapped.name, wrapped.description]).toEqual([given.name, given.description]);
    expect(Object.keys(given)).toEqual(Object.keys(rowsTool()));
  });

  it("called in LangChain's older way has the callbacks that stand in place of a config", async () => {
    const listener = new Listener();
    const wrapped = withOffload(rowsTool(), options);
    expect(await wrapped.call({}, [listener] as never)).toEqual(isDescriptor);
    expect(listener.heard).toHaveLength(1);
  });

  it("wraps once what stays as a preset says, with plain arguments too", async () => {
    const streaming = toolNamed("words", () => Readable.from(["a ", "b"]));
    const small = toolNamed("small", () => "yes");
    const given = createOffloader({
      store: memoryStore(),
      describe: { wrapInline: (text) => `<${text}>` },
    });
    for (const [one, shown] of [
      [small, "<yes>"],
      [streaming, "<a b>"],
    ] as const) {
      const wrapped = withOffload(one, { offloader: given, trace });
      expect(await wrapped.invoke({})).toBe(shown);
      const message: ToolMessage = await wrapped.invoke({ ...call, args: {} });
      expect(message.content).toBe(shown);
    }
    await given.close();
  });

  it("passes on what a generator yields and offloads what it returns", async () => {
    const streaming = toolNamed("streaming", async function* () {
      yield "half";
      yield "whole";
      return full;
    });
    const listener = new Listener();
    const message: unknown = await withOffload(streaming, options).invoke(call, {
      ...thread,
      callbacks: [listener],
    });
    expect(listener.events).toEqual(["half", "whole"]);
    expect(message).toMatchObject({ content: isDescriptor });
  });

  it("shows its callbacks what was chosen", async () => {
    const listener = new Listener();
    await withOffload(rowsTool(), options).invoke(call, { ...thread, callbacks: [listener] });
    expect(listener.heard).toHaveLength(1);
    expect(listener.heard[0]?.includes("visit 7919")).toBe(trace === "original");
  });

  it("wraps simple tools, and passes those with returnDirect on", async () => {
    const simple = new DynamicTool({ name: "all", description: "All.", func: async () => full });
    expect(await withOffload(simple, options).invoke("x", thread)).toEqual(isDescriptor);
    const direct = Object.assign(rowsTool(), { returnDirect: true });
    expect(await withOffload(direct, options).invoke({}, thread)).toBe(full);
  });
});

it("sessions of a wrapped tool runs in the thread of the tool that calls it without a config", async () => {
  const inner = withOffload(rowsTool("inner"), { offloader });
  const outer = toolNamed("outer", async () => String(await inner.invoke({})));
  const descriptor = await outer.invoke({}, { configurable: { thread_id: "t-outer" } });
  const id = String(JSON.parse(descriptor).file_path);
  const [read] = createDrillInTools(offloader);
  const asked = (threadId: string) =>
    read?.invoke({ id }, { configurable: { thread_id: threadId } });
  expect(await asked("t-outer")).toContain('"city":"Rome"');
  expect(await asked("t-other")).not.toContain("Rome");
});

it("options of a wrapped tool are checked when it is made", () => {
  expect(() => withOffload(rowsTool(), { threshold: { tokens: 1.5 } })).toThrow("tokens");
  const like = { name: "like", schema: z.object({}), invoke: async () => "" };
  expect(() => withOffload(like, { offloader, trace: "descriptor" })).toThrow(
    "which like does not have",
  );
});

const opened = openedOffloaders();
const schema = z.object({});

/** Lets two calls through. */
class Limited extends StructuredTool {
  name = "lookup";
  description = "Looks up.";
  schema = schema;
  calls = 0;
  override async invoke(...given: Parameters<StructuredTool["invoke"]>): Promise<never> {
    this.calls += 1;
    if (this.calls > 2) throw new Error("limit reached");
    return (await super.invoke(...given)) as never;
  }
  async _call(_args: unknown, _run: unknown, config?: ToolRunnableConfig): Promise<unknown> {
    return `call ${this.calls} of ${typeof config}`;
  }
}

/** Counts in a private field, and has all that it is told by in another. */
class Private extends StructuredTool {
  readonly #told = { description: "Looks up.", schema };
  #calls = 0;
  name = "lookup";
  get description(): string {
    return this.#told.description;
  }
  get schema(): typeof schema {
    return this.#told.schema;
  }
  override async call(...given: Parameters<StructuredTool["call"]>): Promise<never> {
    this.#calls += 1;
    return (await super.call(...given)) as never;
  }
  async _call(): Promise<unknown> {
    return JSON.stringify(rows.slice(0, 800 * this.#calls));
  }
}

/** Is called by LangChain's own methods, and gives a stream. */
class Described extends StructuredTool {
  readonly #schema = schema;
  readonly #rows = rows;
  name = "lookup";
  description = "Looks up.";
  get schema(): typeof schema {
    return this.#schema;
  }
  async _call(): Promise<unknown> {
    return Readable.from(this.#rows);
  }
}

type Run = (tool: StructuredTool, calls: number, offloader: Offloader) => Promise<BaseMessage[]>;

const script = (calls: number): ReturnType<typeof scriptedModel> =>
  scriptedModel(Array.from({ length: calls }, () => calling("lookup")));
const input = { messages: [new HumanMessage("go")] };
const classThread = { configurable: { thread_id: "t" }, recursionLimit: 60 };

async function inAgent(
  calls: number,
  parts: Pick<NonNullable<Parameters<typeof createAgent>[0]>, "tools" | "middleware">,
): Promise<BaseMessage[]> {
  return (await createAgent({ model: script(calls), ...parts }).invoke(input, classThread))
    .messages;
}

async function inGraph(calls: number, node: ToolNode): Promise<BaseMessage[]> {
  const graph = handWrittenGraph(script(calls), node.tools, node).compile();
  return (await graph.invoke(input, classThread)).messages;
}

const ways: Readonly<Record<string, Run>> = {
  "the middleware": (tool, calls, offloader) =>
    inAgent(calls, { tools: [tool], middleware: [offloadMiddleware({ offloader })] }),
  withOffload: (tool, calls, offloader) =>
    inAgent(calls, {
      tools: [withOffload(tool, { offloader }), ...createDrillInTools(offloader)],
    }),
  offloadToolNode: (tool, calls, offloader) =>
    inGraph(calls, offloadToolNode([tool], { offloader })),
};

describe.each(Object.entries(ways))("a class of a tool under %s", (_, run) => {
  it("counts its calls itself, up to its own limit", async () => {
    const messages = await run(new Limited(), 4, opened().offloader);
    expect(toolMessages(messages).map(({ text }) => text.split("\n")[0])).toEqual([
      "call 1 of object",
      "call 2 of object",
      expect.stringContaining("limit reached"),
      expect.stringContaining("limit reached"),
    ]);
  });

  it("has its private fields where its own methods and getters read them", async () => {
    const messages = await run(new Private(), 1, opened().offloader);
    expect(artifactsOf(messages)).toMatchObject([{ recordCount: 800, toolName: "lookup" }]);
  });

  it("has its streams read where LangChain's methods call it, also when a getter reads a private field", async () => {
    const messages = await run(new Described(), 1, opened().offloader);
    expect(artifactsOf(messages)).toMatchObject([{ recordCount: 800, toolName: "lookup" }]);
  });
});
