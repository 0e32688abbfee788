import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { createAgent, tool } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { createDrillInTools } from "../../src/adapters/langchain/drill-in-tools.js";
import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { offloadFrom } from "../../src/adapters/langchain/offload-from.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import type { OffloadEvent } from "../../src/events.js";
import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import type { OffloadOptions } from "../../src/options/options.js";
import { memoryStore } from "../../src/store/memory.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { handWrittenGraph, question, rows, toolMessages } from "./large-outputs.js";

const opened: Offloader[] = [];
afterAll(async () => {
  await Promise.all(opened.map((offloader) => offloader.close()));
});

/** Tiny, so that a descriptor itself is over it. */
const decide = { threshold: { tokens: 20 } };

function offloaderWith(options: OffloadOptions = {}): Offloader {
  const offloader = createOffloader({ store: memoryStore(), decide, ...options });
  opened.push(offloader);
  return offloader;
}

const returning = tool(async (_, config) => await offloadFrom(config)(rows, { title: "Visits" }), {
  name: "visits",
  description: "All visits.",
  schema: z.object({}),
});
const embedding = tool(
  async (_, config) => {
    const offload = offloadFrom(config);
    const rome = await offload(rows.slice(0, 500), { title: "Rome" });
    const oslo = await offload(rows.slice(500), { title: "Oslo", form: "bare" });
    return `Two parts.\n${rome}\n${oslo}`;
  },
  { name: "visits", description: "All visits.", schema: z.object({}) },
);

/** What the surfaces have in common. */
interface Run {
  invoke(input: unknown, config?: object): Promise<{ messages: BaseMessage[] }>;
}
type Surface = (
  own: StructuredToolInterface,
  turns: readonly ScriptedTurn[],
  offloader: Offloader,
) => Run;

const surfaces: [string, Surface][] = [
  [
    "createAgent",
    (own, turns, offloader) =>
      createAgent({
        model: scriptedModel(turns),
        tools: [own],
        middleware: [offloadMiddleware({ offloader })],
      }),
  ],
  [
    "a tool node",
    (own, turns, offloader) =>
      handWrittenGraph(scriptedModel(turns), [], offloadToolNode([own], { offloader })).compile(),
  ],
  ...(["original", "descriptor"] as const).map((trace): [string, Surface] => [
    `a wrapped tool with trace: ${trace}`,
    (own, turns, offloader) =>
      createAgent({
        model: scriptedModel(turns),
        tools: [withOffload(own, { offloader, trace }), ...createDrillInTools(offloader)],
      }),
  ]),
];

const call = { toolCalls: [{ name: "visits", args: {} }] };
const count: ScriptedTurn = (messages) => {
  const text = toolMessages(messages)[0]?.text ?? "";
  const id = /"file_path":"([^"]+)"/.exec(text)?.[1];
  const args = { id, filter: "length", slurp: true };
  return { toolCalls: [{ name: "jq_tool_output", args }] };
};

describe.each(surfaces)("offloadFrom(config) in %s", (name, surface) => {
  const thread = { configurable: { thread_id: name } };

  it("gives a text that, returned as it is, the walk leaves alone", async () => {
    const offloader = offloaderWith();
    const { messages } = await surface(returning, [call, count], offloader).invoke(
      question,
      thread,
    );
    const [given, counted] = toolMessages(messages);
    expect(JSON.parse(given?.text ?? "")).toMatchObject({
      offloaded: true,
      summary: { count: rows.length, title: "Visits", operation: "visits" },
    });
    expect(given?.artifact).toMatchObject({ toolName: "visits", title: "Visits" });
    expect(counted?.text).toMatch(/^800\n/);
    expect(offloader.stats().outputsOffloaded).toBe(1);
  });

  it("reaches the output without a thread as well", async () => {
    const run = surface(returning, [call, count], offloaderWith());
    const { messages } = await run.invoke(question);
    expect(toolMessages(messages)[1]?.text).toMatch(/^800\n/);
  });

  it("gives texts that can be put into what the tool returns", async () => {
    const offloader = offloaderWith({ decide: {} });
    const { messages } = await surface(embedding, [call, count], offloader).invoke(
      question,
      thread,
    );
    const [given, counted] = toolMessages(messages);
    expect(given?.text).toMatch(/^Two parts\.\n\{.*\}\n\{.*\}$/);
    expect(given?.artifact).toMatchObject([{ title: "Rome" }, { title: "Oslo" }]);
    expect(counted?.text).toMatch(/^500\n/);
  });
});

describe("offloadFrom(config)", () => {
  it("works in a plain tool that the running one calls without a config", async () => {
    const outer = tool(async () => await returning.invoke({}), {
      name: "visits",
      description: "Calls another.",
      schema: z.object({}),
    });
    const [, surface] = surfaces[0] ?? [];
    const run = surface?.(outer, [call], offloaderWith());
    const messages = (await run?.invoke(question, { configurable: { thread_id: "n" } }))?.messages;
    expect(toolMessages(messages ?? [])[0]?.artifact).toMatchObject({ title: "Visits" });
  });

  it("tells a call under no offloader what to do", async () => {
    await expect(returning.invoke({})).rejects.toThrow(/offloadFrom\(config\).*offloadMiddleware/);
    expect(() => offloadFrom(undefined)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENTS" }),
    );
  });

  it("gives the value cut to the threshold when it cannot be stored", async () => {
    const events: OffloadEvent[] = [];
    const store = { ...memoryStore(), put: async () => Promise.reject(new Error("disk full")) };
    const onEvent = (event: OffloadEvent): void => void events.push(event);
    const offloader = offloaderWith({ store, onEvent, decide: { threshold: { tokens: 300 } } });
    const wrapped = withOffload(returning, { offloader });
    const text = await wrapped.invoke({});
    expect(JSON.parse(text)).toMatchObject({ offload_failed: true, total_count: rows.length });
    expect(events.map(({ type }) => type)).toEqual(["write-failed", "truncated"]);
  });

  it("keeps a small value too, which stays small", async () => {
    const small = tool(async (_, config) => await offloadFrom(config)("yes", { title: "Answer" }), {
      name: "small",
      description: "Small.",
      schema: z.object({}),
    });
    const message: unknown = await withOffload(small, { offloader: offloaderWith() }).invoke({
      name: "small",
      args: {},
      id: "call_1",
      type: "tool_call",
    } as never);
    expect(ToolMessage.isInstance(message) && JSON.parse(message.text)).toEqual({
      offloaded: true,
      title: "Answer",
      file_path: expect.stringMatching(/^[0-9A-Z]{26}$/),
    });
  });

  it("refuses a value whose images its text could not hold", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const mixed = tool(
      async (_, config) => await offloadFrom(config)([{ type: "text", text: "x" }, image]),
      { name: "mixed", description: "Mixed.", schema: z.object({}) },
    );
    const wrapped = withOffload(mixed, { offloader: offloaderWith() });
    await expect(wrapped.invoke({})).rejects.toThrow(/return images and files beside/);
  });
});
