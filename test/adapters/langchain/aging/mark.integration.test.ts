import { ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { storedIn } from "../../receiving-tool.js";
import { memoryStore, type OffloadOptions, sessionKeyOf } from "../../../../src/index.js";
import type { ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import {
  aged,
  breaksIn,
  idsShown,
  listVisits,
  pageOf,
  pages,
  readPage,
  readsBack,
  rigOf,
  sent,
  toolContents,
} from "./rig.js";
import { calling, toolNamed } from "../../agents.js";

const listsRows = calling("list_rows");
describe("aging by marks", () => {
  it("shows the model lines for what is stale, and keeps the results in the state", async () => {
    const { model, send, events } = rigOf(pages(14));
    const messages = await send("Read.");

    const shown = toolContents(model.requests.at(-1));
    expect(shown.slice(-2)).toEqual([pageOf(12), pageOf(13)]);
    for (const line of shown.slice(0, -2)) {
      expect(line).toMatch(
        /^\[aged: read_page; 3,120 tokens\. read_tool_output\("[0-9A-Z]{26}"\)\]$/,
      );
    }
    expect(toolContents(messages)).toEqual(pages(14).map((_, page) => pageOf(page)));
    expect(breaksIn(model.requests)).toBe(aged(events).length);
  });

  it("gives a result back by one call, whole, whatever the usual length of answers is", async () => {
    const { model, send, events, offloader } = rigOf([...pages(8), readsBack(0), "Done."], {
      drillIn: { maxAnswerTokens: 200 },
    });
    await send("Read.");

    expect(toolContents(model.requests.at(-1)).at(-1)).toBe(
      `The whole output, 30 lines:\n${pageOf(0)}`,
    );
    expect(events.filter(({ type }) => type === "restored")).toHaveLength(1);
    const { resultsAged, agedTokens } = offloader.stats("one");
    expect(resultsAged).toBe(aged(events).flatMap(({ artifactIds }) => artifactIds).length);
    expect(agedTokens).toBe(aged(events).reduce((sum, { freedTokens }) => sum + freedTokens, 0));
  });

  it("leaves errors, small results, images and excluded tools where they are", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const fails = (): never => {
      throw new Error(pageOf(100));
    };
    const tools = [
      toolNamed("fails", fails),
      toolNamed("small", () => "word ".repeat(60)),
      toolNamed("seen", () => [{ type: "text", text: pageOf(101) }, image]),
      toolNamed("dear", () => pageOf(102)),
      toolNamed("renamed", (_, { toolCall }) => {
        const tool_call_id = toolCall?.id ?? "";
        return new ToolMessage({ content: pageOf(103), name: "x", tool_call_id });
      }),
    ];
    const calls = tools.map(({ name }) => calling(name));
    const off = { plugins: { aging: false } } as const;
    const { model, send } = rigOf([...calls, ...pages(8)], {
      tools: [...tools, readPage],
      perTool: { dear: off, renamed: off },
    });
    const messages = await send("Read.");
    const shown = toolContents(model.requests.at(-1));
    expect(shown.slice(0, 5)).toEqual(toolContents(messages).slice(0, 5));
    expect(shown[5]).toContain("[aged");
  });

  it.each([
    ["exclude names the tool", { exclude: ["read_page"] }],
    ["a rule says so", { include: ({ args }) => args?.["number"] !== 1 }],
    ["the tool has enabled: false", { perTool: { read_page: { enabled: false } } }],
    ["nothing is enabled", { enabled: false }],
  ] satisfies [string, OffloadOptions][])(
    "stores nothing that may not be stored, where %s",
    async (_, options) => {
      const { model, send, offloader } = rigOf(pages(8), options);
      await send("Read.");
      const shown = toolContents(model.requests.at(-1));
      expect(shown[1]).toBe(pageOf(1));
      const { artifacts } = await offloader.store.list(sessionKeyOf("one"));
      expect(artifacts.map(({ args }) => args?.["number"])).not.toContain(1);
    },
  );

  it("reads a result that was cut back as the shortened one, not as the whole output", async () => {
    const many = toolNamed("many", () =>
      Array.from({ length: 9_000 }, (_, at) => `line ${at}`).join("\n"),
    );
    const turns = [calling("many"), ...pages(8)];
    const { send } = rigOf([...turns, readsBack(0), readsBack(1)], {
      tools: [many, readPage],
      perTool: { many: { mode: "truncate" } },
    });
    const [cut, whole] = toolContents(await send("Read.")).slice(-2);
    expect(cut).toMatch(/^The whole shortened result, [\d,]+ lines:\nline 0\n/);
    expect(whole).toMatch(/^The whole output, 30 lines:/);
  });

  it("decides nothing in a run that is switched off, and shows what was decided before", async () => {
    const { agent, model, send, events } = rigOf(pages(8));
    await send("Read.");
    const before = aged(events).length;
    const [asked, last] = [model.requests.length, sent(model.requests.at(-1))];
    const config = {
      configurable: { thread_id: "one", offload: { enabled: false } },
      recursionLimit: 100,
    };
    await agent.invoke({ messages: "More." }, config);
    expect(aged(events)).toHaveLength(before);
    expect(sent(model.requests[asked]).slice(0, last.length)).toEqual(last);
  });

  it("shrinks an old descriptor to a line, and stores nothing for it", async () => {
    const { model, send, offloader, events } = rigOf([listsRows, ...pages(7)], {
      tools: [listVisits, readPage],
    });
    const messages = await send("Read.");
    const descriptor = messages.find((message) => ToolMessage.isInstance(message));
    const id: unknown = descriptor?.artifact.id;
    expect(toolContents(model.requests.at(-1))[0]).toMatch(
      new RegExp(
        String.raw`^\[aged: list_rows → 900 records; (?:about )?[\d,]+ tokens\. read_tool_output\("${String(id)}"\)\]$`,
      ),
    );
    const stored = await offloader.store.list(aged(events)[0]?.sessionKey ?? "");
    const all = aged(events).flatMap(({ artifactIds }) => artifactIds);
    expect(stored.artifacts.map((artifact) => artifact.id).toSorted()).toEqual(
      [...new Set(all)].toSorted(),
    );
  });

  it("says of a page that there are more records", async () => {
    const page = {
      items: Array.from({ length: 900 }, (_, id) => ({ id, name: `user ${id}` })),
      next_cursor: "c",
    };
    const tools = [toolNamed("list_rows", () => page), readPage];
    const { model, send } = rigOf([listsRows, ...pages(7)], { tools });
    await send("Read.");
    expect(toolContents(model.requests.at(-1))[0]).toContain(" → 900+ records; ");
  });

  it.each(["expired", "evicted", "deleted"])(
    "S15: promises no read where the output of an old descriptor is %s",
    async (fate) => {
      let nowMs = 1_800_000_000_000;
      const now = (): number => nowMs;
      const goes: ScriptedTurn = async (messages) => {
        const { id, sessionKey } = storedIn(messages);
        if (fate === "expired") nowMs += offloader.options.ttlMs;
        if (fate === "evicted") await offloader.put("other", { sessionId: "one" });
        if (fate === "deleted") await offloader.store.delete(id, sessionKey);
        return { toolCalls: [{ name: "read_page", args: { number: 0 } }] };
      };
      const { model, send, offloader } = rigOf([listsRows, goes, ...pages(7)], {
        tools: [listVisits, readPage],
        store: memoryStore({ now }),
        now,
        ...(fate === "evicted" && { retention: { maxSessionBytes: 1 } }),
      });
      const { id } = storedIn(await send("Read."));
      const line = String(toolContents(model.requests.at(-1))[0]);
      expect(line).toMatch(/^\[aged: list_rows → 900 records; (?:about )?[\d,]+ tokens\. /);
      expect(line).not.toContain("read_tool_output");
      expect(line).not.toContain(id);
    },
  );

  it("names the first id where a result that was read back leaves again", async () => {
    const { model, send, offloader, events } = rigOf([...pages(6), readsBack(0), ...pages(8)]);
    await send("Read.");
    const ids = idsShown(model.requests.at(-1));
    const shown = toolContents(model.requests.at(-1));
    expect(shown[6]).toMatch(/^\[aged: read_tool_output; [\d,]+ tokens\. Its call on /);
    expect(shown[6]).toContain(ids[0]);
    const { artifacts } = await offloader.store.list(aged(events)[0]?.sessionKey ?? "");
    expect(artifacts.every(({ toolName }) => toolName === "read_page")).toBe(true);
  });

  it("leaves everything where it is while the store fails, and says so", async () => {
    const store = memoryStore();
    const failing = { ...store, put: () => Promise.reject(new Error("full")) };
    const { model, send, events } = rigOf(pages(8), { store: failing });
    await send("Read.");
    expect(toolContents(model.requests.at(-1))).toEqual(pages(8).map((_, page) => pageOf(page)));
    const failed = events.filter(({ type }) => type === "write-failed");
    expect(failed.length).toBeGreaterThan(0);
  });

  it("lets a conversation without a thread id read its results back", async () => {
    const { agent, model } = rigOf([...pages(8), readsBack(0), "Done."], { checkpointer: false });
    await agent.invoke({ messages: "Read." }, { recursionLimit: 100 });
    expect(toolContents(model.requests.at(-1)).at(-1)).toContain(pageOf(0));
  });

  it("gives a result back whole where the window has room beside what is shown", async () => {
    const { model, send } = rigOf([...pages(40), readsBack(0), "Done."], {
      contextWindowTokens: 72_000,
    });
    await send("Read.");
    expect(toolContents(model.requests.at(-1)).at(-1)).toBe(
      `The whole output, 30 lines:\n${pageOf(0)}`,
    );
  });
});
