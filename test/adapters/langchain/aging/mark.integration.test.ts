import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { memoryStore } from "../../../../src/store/memory.js";
import type { OffloadOptions } from "../../../../src/options/options.js";
import { scopeOf } from "../../../../src/store/naming.js";
import type { ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import {
  aged,
  breaksIn,
  pageOf,
  pages,
  readPage,
  readsBack,
  rigOf,
  sent,
  soon,
  toolContents,
} from "./rig.js";

describe("aging by marks", () => {
  it("shows the model lines for what is stale, and keeps the results in the state", async () => {
    const { model, send, events } = rigOf(pages(12));
    const messages = await send("Read.");

    const shown = toolContents(model.requests.at(-1));
    expect(shown.slice(-2)).toEqual([pageOf(10), pageOf(11)]);
    for (const line of shown.slice(0, -2)) {
      expect(line).toMatch(
        /^\[aged: (?:read_page → )?".*"; 600 tokens\. read_tool_output\("[0-9A-Z]{26}"\)\]$/,
      );
    }
    expect(toolContents(messages)).toEqual(pages(12).map((_, page) => pageOf(page)));
    expect(breaksIn(model.requests)).toBe(aged(events).length);
  });

  it("gives a result back by one call, whole, whatever the usual length of answers is", async () => {
    const { model, send, events, offloader } = rigOf([...pages(8), readsBack(0), "Done."], {
      drillIn: { maxOutputTokens: 200 },
    });
    await send("Read.");

    expect(toolContents(model.requests.at(-1)).at(-1)).toBe(
      `The whole output, 30 lines:\n${pageOf(0)}`,
    );
    expect(events.filter(({ type }) => type === "restored")).toHaveLength(1);
    const { resultsAged, resultsRestored, agedTokens } = offloader.stats("one");
    expect([resultsAged, resultsRestored]).toEqual([
      aged(events).flatMap(({ artifactIds }) => artifactIds).length,
      1,
    ]);
    expect(agedTokens).toBe(aged(events).reduce((sum, { freedTokens }) => sum + freedTokens, 0));
  });

  it("shows the same after a restart, in the next run on the thread and on another machine", async () => {
    const store = memoryStore();
    const checkpointer = new MemorySaver();
    const first = rigOf(pages(8), { store, checkpointer });
    await first.send("Read.");
    const second = rigOf([...pages(3), readsBack(0)], { store, checkpointer });
    await second.send("Go on.");

    const before = sent(first.model.requests.at(-1));
    expect(sent(second.model.requests[0]).slice(0, before.length)).toEqual(before);
    expect(toolContents(second.model.requests.at(-1)).at(-1)).toContain(pageOf(0));
  });

  it("gives a fork from before a batch its results back", async () => {
    const { agent, model, send } = rigOf(pages(8));
    await send("Read.");
    const config = { configurable: { thread_id: "one" } };
    const before = [];
    for await (const state of agent.getStateHistory(config)) before.push(state);
    const fork = before.find(({ values }) => toolContents(values.messages).length === 4);
    const asked = model.requests.length;
    await agent.invoke(null, { ...fork?.config, recursionLimit: 100 });

    const whole = [0, 1, 2, 3, 4].map((page) => pageOf(page));
    expect(toolContents(model.requests[asked])).toEqual(whole);
  });

  it("makes the same decision again when a model call failed after it", async () => {
    let isDown = true;
    const broken = createMiddleware({
      name: "broken",
      wrapModelCall: (request, handler) => {
        const isBatch = request.messages.some(
          ({ content }) => typeof content === "string" && content.startsWith("[aged"),
        );
        if (!isBatch || !isDown) return handler(request);
        isDown = false;
        seen.push(sent(request.messages));
        throw new Error("overloaded");
      },
    });
    const seen: string[][] = [];
    const { agent, model, send, events } = rigOf(pages(8), { after: [broken] });
    await expect(send("Read.")).rejects.toThrow("overloaded");
    expect(aged(events)).toEqual([]);
    const asked = model.requests.length;
    await agent.invoke(null, { configurable: { thread_id: "one" }, recursionLimit: 100 });

    expect(sent(model.requests[asked])).toEqual(seen[0]);
    expect(breaksIn(model.requests)).toBe(aged(events).length);
  });

  it("leaves errors, small results, images and excluded tools where they are", async () => {
    const other = (name: string, answer: () => unknown): unknown =>
      tool(answer as () => string, { name, description: name, schema: z.object({}) });
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const tools = [
      other("fails", () => {
        throw new Error(pageOf(100));
      }),
      other("small", () => "word ".repeat(60)),
      other("seen", () => [{ type: "text", text: pageOf(101) }, image]),
      other("dear", () => pageOf(102)),
    ];
    const calls = ["fails", "small", "seen", "dear"].map((name): ScriptedTurn => ({
      toolCalls: [{ name, args: {} }],
    }));
    const { model, send } = rigOf([...calls, ...pages(8)], {
      tools: [...tools, readPage],
      aging: { ...soon, exclude: ["dear"] },
    });
    const messages = await send("Read.");
    const shown = toolContents(model.requests.at(-1));
    expect(shown.slice(0, 4)).toEqual(toolContents(messages).slice(0, 4));
    expect(shown[4]).toContain("[aged");
  });

  it.each([
    ["scope names the tool", { scope: { exclude: ["read_page"] } }],
    ["a rule of scope says so", { scope: { when: ({ args }) => args?.["number"] !== 1 } }],
    ["the tool has enabled: false", { scope: { perTool: { read_page: { enabled: false } } } }],
    ["nothing is enabled", { enabled: false }],
  ] satisfies [string, OffloadOptions][])(
    "stores nothing that may not be stored, where %s",
    async (_, options) => {
      const { model, send, offloader } = rigOf(pages(8), options);
      await send("Read.");
      const shown = toolContents(model.requests.at(-1));
      expect(shown[1]).toBe(pageOf(1));
      const { artifacts } = await offloader.store.list(scopeOf("one"));
      expect(artifacts.map(({ args }) => args?.["number"])).not.toContain(1);
    },
  );

  it("stores a result again when the store has lost it, under the id that the line names", async () => {
    let now = 1_800_000_000_000;
    const { model, send, events } = rigOf(
      [
        ...pages(8),
        (messages) => {
          now += 7_200_000;
          return readsBack(0)(messages);
        },
      ],
      { now: () => now, store: memoryStore({ now: () => now }) },
    );
    await send("Read.");
    expect(toolContents(model.requests.at(-1)).at(-1)).toBe(
      `The whole output, 30 lines:\n${pageOf(0)}`,
    );
    expect(events.filter(({ type }) => type === "restored")).toHaveLength(1);
  });
});
