import { Readable } from "node:stream";

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { DynamicTool, StructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createDrillInTools, withOffload, type WithOffloadOptions } from "../../../src/index.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";
import { agentOf, calling, toolNamed } from "../agents.js";
import { SURFACES } from "../../corpus/surfaces.js";
import { artifactsOf, question, rows, rowsTool, toolMessages } from "../large-outputs.js";

const offloader = sharedOffloader();
const opened = openedOffloaders();

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

  it("shows its callbacks what was chosen, in LangChain's older way too, where they stand in place of a config", async () => {
    const listener = new Listener();
    const wrapped = withOffload(rowsTool(), options);
    await wrapped.invoke(call, { ...thread, callbacks: [listener] });
    expect(await wrapped.call({}, [listener] as never)).toEqual(isDescriptor);
    const isWhole = listener.heard.map((text) => text.includes("visit 7919"));
    expect(isWhole).toEqual(Array(2).fill(trace === "original"));
  });

  it("wraps once what stays as a preset says, with plain arguments too", async () => {
    const streaming = toolNamed("words", () => Readable.from(["a ", "b"]));
    const small = toolNamed("small", () => "yes");
    const { offloader: given } = opened({ describe: { wrapInline: (text) => `<${text}>` } });
    for (const [one, shown] of [
      [small, "<yes>"],
      [streaming, "<a b>"],
    ] as const) {
      const wrapped = withOffload(one, { offloader: given, trace });
      expect(await wrapped.invoke({})).toBe(shown);
      const message: ToolMessage = await wrapped.invoke({ ...call, args: {} });
      expect(message.content).toBe(shown);
    }
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

  it("shows its callbacks short errors", async () => {
    const heard: string[] = [];
    const handler = { handleToolError: ({ message }: Error) => void heard.push(message) };
    const throwing = (): Promise<never> => Promise.reject(new Error(full));
    const yielding = async function* (): AsyncGenerator {
      yield await throwing();
    };
    for (const one of [throwing, yielding as never]) {
      const wrapped = withOffload(toolNamed("failing", one), options);
      await expect(wrapped.invoke(call, { callbacks: [handler] })).rejects.toThrow("[cut: ");
    }
    expect(heard.map((text) => text === full)).toEqual(Array(2).fill(trace === "original"));
  });

  it("has a small object count once beside the middleware", async () => {
    const own = { offloader: opened().offloader };
    const given = toolNamed("small", () => ({ a: 1 }));
    const small = withOffload(given, { ...own, trace });
    await agentOf([calling("small")], [small], own).invoke(question, thread);
    expect(own.offloader.stats("t-tool").outputsSeen).toBe(1);
  });

  it("wraps simple tools, and passes those with returnDirect on", async () => {
    const simple = new DynamicTool({ name: "all", description: "All.", func: async () => full });
    expect(await withOffload(simple, options).invoke("x", thread)).toEqual(isDescriptor);
    const callers = { allowed_callers: ["code_execution_20250825"] };
    for (const more of [{ returnDirect: true }, { extras: callers }]) {
      const direct = Object.assign(rowsTool(), more);
      expect(await withOffload(direct, options).invoke({}, thread)).toBe(full);
    }
  });

  it("leaves the screenshot for which a provider asked as it is", async () => {
    const additional_kwargs = { type: "computer_call_output" };
    const seen = new ToolMessage({ content: full, tool_call_id: "c", additional_kwargs });
    const wrapped = withOffload(
      toolNamed("look", () => seen),
      options,
    );
    expect(await wrapped.invoke({ ...call, name: "look" }, thread)).toMatchObject({
      content: full,
    });
  });
});

const blocks = [{ type: "text", text: "Refused." }];

it.each([
  ["object", { refused: true }, '{"refused":true}'],
  ["null", null, "null"],
  ["list of rows", [{ id: 1 }], '[{"id":1}]'],
  ["list of content blocks", blocks, blocks],
])("a plugin's %s in place of an output is what the model gets", async (_, value, content) => {
  const wrapOutput = async () => ({ outcome: "inline", value }) as const;
  const { offloader: own } = opened({ plugins: [{ name: "no", setup: () => ({ wrapOutput }) }] });
  const wrapped = withOffload(rowsTool(), { offloader: own });
  expect((await wrapped.invoke(call)).content).toEqual(content);
  expect(await wrapped.invoke({})).toEqual(value);
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

it("a message of a tool of another class has the record of its output", async () => {
  const like = { name: "like", schema: z.object({}), invoke: async (_asked: object) => full };
  const message = await withOffload(like, { offloader }).invoke(call);
  expect(message).toHaveProperty("artifact.recordCount", 800);
});

it("options of a wrapped tool are checked when it is made", () => {
  expect(() => withOffload(rowsTool(), { threshold: { tokens: 1.5 } })).toThrow("tokens");
  const like = { name: "like", schema: z.object({}), invoke: async () => "" };
  expect(() => withOffload(like, { offloader, trace: "descriptor" })).toThrow(
    "which like does not have",
  );
});

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

/** Tools behind whose trace only a descriptor is have LangChain's own methods. */
const surfaces = Object.entries(SURFACES).filter(([name]) => !name.includes("trace"));

describe.each(surfaces)("a class of a tool under %s", (_, surface) => {
  const run = async (tool: StructuredTool, calls = 1): Promise<BaseMessage[]> => {
    const turns = Array.from({ length: calls }, () => calling("lookup"));
    const { invoke } = surface(opened().offloader, [tool], turns);
    return (await invoke(question, { ...thread, recursionLimit: 60 })).messages;
  };

  it("counts its calls itself, up to its own limit", async () => {
    const messages = await run(new Limited(), 4);
    expect(toolMessages(messages).map(({ text }) => text.split("\n")[0])).toEqual([
      "call 1 of object",
      "call 2 of object",
      expect.stringContaining("limit reached"),
      expect.stringContaining("limit reached"),
    ]);
  });

  it("has private fields and streams read where its own methods and getters, or LangChain's, read them", async () => {
    for (const tool of [new Private(), new Described()])
      expect(artifactsOf(await run(tool))).toMatchObject([
        { recordCount: 800, toolName: "lookup" },
      ]);
  });
});
