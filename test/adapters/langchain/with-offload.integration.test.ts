import { Readable } from "node:stream";

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { ToolMessage } from "@langchain/core/messages";
import { DynamicTool, StructuredTool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  withOffload,
  type WithOffloadOptions,
} from "../../../src/index.js";
import { rows, rowsTool } from "../large-outputs.js";
import { toolNamed } from "../agents.js";
import { sharedOffloader } from "../../opened-offloaders.js";

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

  it("called with plain arguments gives the descriptor's text", async () => {
    const objects = toolNamed("objects", () => ({ rows }));
    expect(await withOffload(rowsTool(), options).invoke({})).toEqual(isDescriptor);
    expect(await withOffload(objects, options).invoke({})).toEqual(isDescriptor);
  });

  it("gives a small value as it is", async () => {
    const small = { rows: rows.slice(0, 2) };
    const wrapped = withOffload(
      toolNamed("small", () => small),
      options,
    );
    expect(await wrapped.invoke({})).toBe(small);
    const message: ToolMessage = await wrapped.invoke({ ...call, args: {} });
    expect(message.content).toBe(JSON.stringify(small));
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
