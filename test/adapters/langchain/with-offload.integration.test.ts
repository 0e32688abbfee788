import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool, type ToolRunnableConfig } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { createDrillInTools } from "../../../src/adapters/langchain/drill-in-tools.js";
import {
  withOffload,
  type WithOffloadOptions,
} from "../../../src/adapters/langchain/with-offload.js";
import { createOffloader } from "../../../src/offload/create-offloader.js";
import { memoryStore } from "../../../src/store/memory.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import {
  artifactsOf,
  countRome,
  question,
  rows,
  rowsTool,
  toolMessages,
} from "../large-outputs.js";

const offloader = createOffloader({ store: memoryStore() });
afterAll(async () => {
  await offloader.close();
});

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

  it("works in an agent whose tools drill in through the same offloader", async () => {
    const agent = createAgent({
      model: scriptedModel([{ toolCalls: [{ name: "list_rows", args: {} }] }, countRome]),
      tools: [withOffload(rowsTool(), options), ...createDrillInTools(offloader)],
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("?")] }, thread);
    expect(artifactsOf(messages)).toHaveLength(1);
    expect(toolMessages(messages)[1]?.text).toMatch(/^400\n/);
    const alone = await agent.invoke(question);
    expect(toolMessages(alone.messages)[1]?.text).toMatch(/^400\n/);
  });

  it("gives a small value as it is", async () => {
    const small = { rows: rows.slice(0, 2) };
    const wrapped = withOffload(
      tool(() => small, { name: "small", description: "Few." }),
      options,
    );
    expect(await wrapped.invoke("")).toBe(small);
    const message: ToolMessage = await wrapped.invoke({ ...call, args: "" as never });
    expect(message.content).toBe(JSON.stringify(small));
  });

  it("walks tool messages and commands that a tool made itself", async () => {
    const messageOf = (config: ToolRunnableConfig) =>
      new ToolMessage({ content: full, tool_call_id: config.toolCall?.id ?? "", id: "m1" });
    const making = tool((_, config) => messageOf(config), {
      name: "making",
      description: "Makes.",
    });
    const made: unknown = await withOffload(making, options).invoke(
      { ...call, args: "" as never },
      thread,
    );
    expect(made).toMatchObject({ id: "m1", content: isDescriptor, tool_call_id: "c1" });
    const commanding = tool(
      (_, config) => new Command({ update: { messages: [messageOf(config)], seen: true } }),
      { name: "commanding", description: "Commands." },
    );
    const command: unknown = await withOffload(commanding, options).invoke(
      { ...call, args: "" as never },
      thread,
    );
    expect(command).toMatchObject({
      update: { messages: [{ content: isDescriptor }], seen: true },
    });
  });

  it("passes on what a generator yields and offloads what it returns", async () => {
    const streaming = tool(
      async function* () {
        yield "half";
        yield "whole";
        return full;
      },
      { name: "streaming", description: "Streams.", schema: z.object({}) },
    );
    const listener = new Listener();
    const message: unknown = await withOffload(streaming, options).invoke(call, {
      ...thread,
      callbacks: [listener],
    });
    expect(listener.events).toEqual(["half", "whole"]);
    expect(message).toMatchObject({ content: isDescriptor });
  });

  it("throws what the tool throws", async () => {
    const failing = tool(
      () => {
        throw new TypeError("no such table");
      },
      { name: "failing", description: "Fails." },
    );
    await expect(withOffload(failing, options).invoke("")).rejects.toThrow(TypeError);
    // @ts-expect-error the schema wants a string
    await expect(withOffload(rowsTool(), options).invoke({ only: 1 })).rejects.toThrow("schema");
  });
});

describe("sessions of a wrapped tool", () => {
  it("runs in the thread of the tool that calls it without a config", async () => {
    const inner = withOffload(rowsTool("inner"), { offloader });
    const outer = tool(async () => String(await inner.invoke({})), {
      name: "outer",
      description: "Calls another tool.",
      schema: z.object({}),
    });
    const descriptor = await outer.invoke({}, { configurable: { thread_id: "t-outer" } });
    const id = String(JSON.parse(descriptor).file_path);
    const [read] = createDrillInTools(offloader);
    const asked = (threadId: string) =>
      read?.invoke({ id }, { configurable: { thread_id: threadId } });
    expect(await asked("t-outer")).toContain('"city":"Rome"');
    expect(await asked("t-other")).not.toContain("Rome");
  });
});
