import { Readable } from "node:stream";

import { StructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { ToolNode } from "@langchain/langgraph/prebuilt";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  createDrillInTools,
  type Offloader,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
} from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { artifactsOf, handWrittenGraph, rows, toolMessages } from "../large-outputs.js";
import { calling } from "../agents.js";

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
const thread = { configurable: { thread_id: "t" }, recursionLimit: 60 };

async function inAgent(
  calls: number,
  parts: Pick<NonNullable<Parameters<typeof createAgent>[0]>, "tools" | "middleware">,
): Promise<BaseMessage[]> {
  return (await createAgent({ model: script(calls), ...parts }).invoke(input, thread)).messages;
}

async function inGraph(calls: number, node: ToolNode): Promise<BaseMessage[]> {
  const graph = handWrittenGraph(script(calls), node.tools, node).compile();
  return (await graph.invoke(input, thread)).messages;
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
