import { Readable } from "node:stream";

import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { SURFACES } from "../corpus/surfaces.js";
import { artifactsOf, countRome, question, rows, toolMessages } from "./large-outputs.js";

const events: OffloadEvent[] = [];
const offloader = createOffloader({ store: memoryStore(), onEvent: (event) => events.push(event) });
afterAll(async () => {
  await offloader.close();
});

const callOnce = { toolCalls: [{ name: "list_rows", args: {} }] };
const isDescriptor = /^\{"offloaded":true/;

/** A tool that returns what `make` gives. */
const streamTool = (make: () => unknown) =>
  tool(async () => make(), { name: "list_rows", description: "All visits.", schema: z.object({}) });

async function* slowly<Part>(parts: Iterable<Part>): AsyncGenerator<Part, void> {
  for (const part of parts) yield part;
}

/** An async iterable that is no generator: what a generator yields are events to LangChain. */
const iterable = <Part>(parts: Iterable<Part>): AsyncIterable<Part> => ({
  [Symbol.asyncIterator]: () => slowly(parts),
});

const json = JSON.stringify(rows);
const halves = [json.slice(0, 9_000), json.slice(9_000)];

let threads = 0;
const nextThread = (): string => `stream-${(threads += 1)}`;

describe.each(Object.entries(SURFACES))("%s", (_name, surface) => {
  const runOf = (given: ReturnType<typeof streamTool>) => {
    const { invoke } = surface(offloader, [given], [callOnce, (messages) => countRome(messages)]);
    return (thread_id: string) => invoke(question, { configurable: { thread_id } });
  };

  it.each<[string, () => unknown]>([
    ["records", () => iterable(rows)],
    ["text", () => iterable(halves)],
    ["bytes of a web stream", () => new Blob([json]).stream()],
    ["a Node stream of text", () => Readable.from(halves)],
    ["a Node stream of records", () => Readable.from(rows)],
  ])("offloads %s once, as the value would be", async (_kind, make) => {
    events.length = 0;
    const { messages } = await runOf(streamTool(make))(nextThread());
    const [first, second] = toolMessages(messages);
    expect(first?.text).toMatch(isDescriptor);
    expect(artifactsOf(messages)).toMatchObject([{ recordCount: rows.length, kind: "json-array" }]);
    expect(second?.text).toContain("400");
    expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
  });

  it("leaves a short stream inline: text joined, records as a JSON array", async () => {
    const text = await runOf(streamTool(() => iterable(["one ", "two"])))(nextThread());
    expect(toolMessages(text.messages)[0]?.text).toBe("one two");
    const records = await runOf(streamTool(() => iterable([{ type: "a" }, 2, null])))(nextThread());
    expect(toolMessages(records.messages)[0]?.text).toBe('[{"type":"a"},2,null]');
    const empty = await runOf(streamTool(() => iterable([])))(nextThread());
    expect(toolMessages(empty.messages)[0]?.text).toBe("");
  });
});

describe("a run that is aborted", () => {
  it("ends a stream that never comes to an end, and tells its maker", async () => {
    let closed = false;
    async function* endless() {
      try {
        for (;;) yield "and so on ";
      } finally {
        closed = true;
      }
    }
    const agent = createAgent({
      model: scriptedModel([callOnce, "Done."]),
      tools: [streamTool(() => ({ [Symbol.asyncIterator]: endless }))],
      middleware: [offloadMiddleware({ offloader })],
    });
    const run = agent.invoke(question, { signal: AbortSignal.timeout(300) });
    await expect(run).rejects.toThrow(/abort|timeout/i);
    await expect.poll(() => closed).toBe(true);
  });
});

describe("a tool that is not offloaded", () => {
  it("keeps its stream for itself", async () => {
    const stream = Readable.from(rows);
    const agent = createAgent({
      model: scriptedModel([callOnce, "Done."]),
      tools: [streamTool(() => stream)],
      middleware: [offloadMiddleware({ store: memoryStore(), exclude: ["list_rows"] })],
    });
    await agent.invoke(question);
    expect(stream.readableDidRead).toBe(false);
  });
});
