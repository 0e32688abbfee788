import { setTimeout } from "node:timers/promises";

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver, messagesStateReducer } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";

import { ageMessages, aging } from "../../../../src/adapters/langchain/aging/index.js";
import { createRestoring } from "../../../../src/adapters/langchain/aging/restore-aged.js";
import { internals } from "../../../../src/core/pipeline/offloader.js";
import {
  type ArtifactStore,
  createDrillInTools,
  createOffloader,
  memoryStore,
  type OffloadError,
  offloadMiddleware,
  sessionKeyOf,
} from "../../../../src/index.js";
import type { ScriptedReply } from "../../../../src/testing/scripted-model.js";
import { calling, thread, toolNamed } from "../../agents.js";
import { storedIn } from "../../receiving-tool.js";
import {
  idsShown,
  listVisits,
  pageOf,
  pages,
  readPage,
  readsBack,
  rigOf,
  soon,
  toolContents,
} from "./rig.js";

const replacing = { ...soon, mode: "replace" } as const;
const DAY_MS = 86_400_000;

/** A conversation of eight pages, made anew as when a client sends it. */
function history(): BaseMessage[] {
  return [
    new HumanMessage({ id: "question", content: "Read." }),
    ...Array.from({ length: 8 }, (_, number) => {
      const id = `page_${number}`;
      const call = { id, name: "read_page", args: { number } };
      return [
        new AIMessage({ id: `calls_${number}`, content: "", tool_calls: [call] }),
        new ToolMessage({ id, tool_call_id: id, name: "read_page", content: pageOf(number) }),
      ];
    }).flat(),
    new AIMessage({ id: "answer", content: "Done." }),
    new HumanMessage({ id: "more", content: "And the first page?" }),
  ];
}

describe("aging that replaces", () => {
  it("keeps results as long as somebody goes on with their conversation", async () => {
    let now = 1_800_000_000_000;
    const store = memoryStore({ now: () => now });
    const checkpointer = new MemorySaver();
    const options = { plugins: [aging(replacing)], store, checkpointer, now: () => now };
    const first = rigOf(pages(8), options);
    await first.send("Read.");
    for (let month = 0; month < 3; month += 1) {
      now += 29 * DAY_MS;
      await rigOf(["Yes."], options).send("Are you there?");
    }
    const last = rigOf([readsBack(0), "Done."], options);
    await last.send("And the first page?");
    expect(toolContents(last.model.requests.at(-1)).at(-1)).toContain(pageOf(0));
  });

  it("keeps what was stored when it came, from the call in which it has aged", async () => {
    const now = (): number => 1_800_000_000_000;
    const { send, model, offloader } = rigOf([calling("list_rows"), ...pages(8)], {
      tools: [listVisits, readPage],
      plugins: [aging(replacing)],
      store: memoryStore({ now }),
      now,
    });
    const { id, sessionKey } = storedIn(await send("Read."));
    expect(idsShown(model.requests.at(-1))[0]).toBe(id);
    const stored = await offloader.store.stat(id, sessionKey);
    expect(stored?.expiresAt).toBe(now() + 30 * DAY_MS);
  });

  it("says honestly what is gone, and tells nobody to call a tool again", async () => {
    let now = 1_800_000_000_000;
    const store = memoryStore({ now: () => now });
    const { model, send } = rigOf(
      [
        ...pages(8),
        (messages) => {
          now += 31 * DAY_MS;
          return readsBack(0)(messages);
        },
      ],
      { plugins: [aging(replacing)], store, now: () => now },
    );
    await send("Read.");
    const answer = String(toolContents(model.requests.at(-1)).at(-1));
    expect(answer).toContain("is no longer stored");
    expect(answer).not.toMatch(/call the tool/i);
  });

  it("keeps a copy for each session that is given the same messages", async () => {
    const messages = history();
    const turns = [readsBack(0), "Done.", readsBack(0), "Done."];
    const { agent, model, offloader } = rigOf(turns, {
      plugins: [aging(replacing)],
      checkpointer: false,
    });
    for (const thread_id of ["one", "two"]) {
      await agent.invoke({ messages }, { configurable: { thread_id } });
      expect(toolContents(model.requests.at(-1)).at(-1)).toContain(pageOf(0));
      await offloader.endSession(thread_id);
    }
  });

  it("has the same lines and copies when a client sends its history again", async () => {
    const options = { plugins: [aging(replacing)], checkpointer: false } as const;
    const { agent, model, offloader } = rigOf(["One.", "Two."], options);
    const config = { configurable: { thread_id: "one" } };
    for (const _ of [1, 2]) await agent.invoke({ messages: history() }, config);
    const [first, second] = model.requests;
    expect(idsShown(first).length).toBeGreaterThan(2);
    expect(toolContents(second)).toEqual(toolContents(first));
    const { artifacts } = await offloader.store.list(sessionKeyOf("one"));
    expect(artifacts).toHaveLength(idsShown(first).length);
  });

  it("extends a life once a day, whether or not the result is still stored", async () => {
    let now = 1_800_000_000_000;
    let refreshes = 0;
    const memory = memoryStore({ now: () => now });
    const refresh: NonNullable<ArtifactStore["refresh"]> = async (...args) => {
      refreshes += 1;
      return (await memory.refresh?.(...args)) ?? false;
    };
    const { send } = rigOf([...pages(8), "1", "2", "3", "4", "5", "6", "7"], {
      plugins: [aging(replacing)],
      store: { ...memory, refresh },
      now: () => now,
    });
    await send("Read.");
    await send("Have you read them?");
    const asked: boolean[] = [];
    for (const days of [0, 2, 0, 40, 0]) {
      now += days * DAY_MS;
      refreshes = 0;
      await send("Are you there?");
      asked.push(refreshes > 0);
    }
    expect(asked).toEqual([false, true, false, true, false]);
  });

  it("lets `access` open a result of another session whose messages were copied", async () => {
    const checkpointer = new MemorySaver();
    const access = (): string[] => ["one"];
    const options = { plugins: [aging(replacing)], checkpointer, access };
    const { agent, send, model, offloader } = rigOf(pages(8), options);
    const messages = await send("Read.");
    const configurable = { thread_id: "two" };
    await Reflect.get(agent, "updateState").call(agent, { configurable }, { messages });
    const store = offloader.store;
    const other = rigOf([readsBack(0), "Done."], { ...options, store });
    await other.send("And the first page?", "two");
    expect(toolContents(other.model.requests.at(-1)).at(-1)).toContain(pageOf(0));
    expect(model.requests).toHaveLength(9);
  });

  it("keeps one copy of another session's result, also where it is passed on", async () => {
    const taken: string[] = [];
    const schema = z.object({ body: z.string() });
    const mail = toolNamed("mail", ({ body }) => String(taken.push(body)), schema);
    const own = { plugins: [aging(soon)], tools: [readPage, mail] };
    const { send, offloader } = rigOf(pages(8), own);
    const messages = [...(await send("Read.")), ...history().slice(-1)];
    const passes = (given: readonly BaseMessage[]): ScriptedReply =>
      calling("mail", { body: { $output: idsShown(given)[0] } });
    const { agent } = rigOf([passes, readsBack(0), passes], { ...own, store: offloader.store });
    await agent.invoke({ messages }, thread("two"));
    expect(taken).toEqual([pageOf(0), pageOf(0)]);
    expect((await offloader.store.list(sessionKeyOf("two"))).artifacts).toHaveLength(1);
  });

  it("lets no cap delete what nothing else holds", async () => {
    const { model, send, offloader } = rigOf([...pages(12), readsBack(0), "Done."], {
      plugins: [aging(replacing)],
      retention: { maxSessionBytes: 1, maxTotalBytes: 1 },
    });
    await send("Read.");
    for (let n = 0; n < 3; n += 1) await offloader.put(`other ${n}`, { sessionId: "one" });
    const ids = idsShown(model.requests.at(-1));
    const { artifacts } = await offloader.store.list(sessionKeyOf("one"));
    expect(artifacts.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(artifacts).toHaveLength(ids.length + 1);
  });

  it("refuses a store that cannot prolong a life, and agents that cannot read", () => {
    const { refresh: _refresh, ...fixed } = memoryStore();
    const store: ArtifactStore = fixed;
    expect(() => createOffloader({ store, plugins: [aging({ mode: "replace" })] })).toThrow(
      expect.objectContaining<Partial<OffloadError>>({ code: "INVALID_OPTIONS" }),
    );
    expect(() => createOffloader({ store, plugins: [aging()] })).not.toThrow();
    expect(() => offloadMiddleware({ plugins: [aging()], drillIn: false })).toThrow(
      /needs the read tool/,
    );
  });
});

/** A conversation whose aged results the store has let expire, and what its tools are told of it. */
async function lost(storeOf: (now: () => number) => ArtifactStore) {
  let nowMs = 1_800_000_000_000;
  const now = (): number => nowMs;
  const offloader = createOffloader({ store: storeOf(now), plugins: [aging(soon)], now });
  onTestFinished(() => offloader.close());
  const messages = history().slice(0, -1);
  const { shown, update } = await ageMessages(offloader, messages, thread("t"));
  nowMs += 40 * DAY_MS;
  const site = { ...thread("t"), state: { messages: messagesStateReducer(messages, [...update]) } };
  return { ids: idsShown(shown), site, offloader };
}

/** The same store, whose bodies come late. */
function slowly(store: ArtifactStore): ArtifactStore {
  async function* late(body: Parameters<ArtifactStore["put"]>[1]): AsyncGenerator<Uint8Array> {
    await setTimeout(20);
    yield* body;
  }
  return { ...store, put: (artifact, body) => store.put(artifact, late(body)) };
}

describe("aged results that a store has lost", () => {
  it("are stored again once where several calls of a turn name one", async () => {
    const { ids, site, offloader } = await lost((now) => slowly(memoryStore({ now })));
    const [read, grep] = createDrillInTools(offloader);
    const answers = Array.from({ length: 8 }, async (_, at): Promise<unknown> =>
      at % 2 === 0
        ? await read?.invoke({ id: ids[0] }, site as never)
        : await grep?.invoke({ id: ids[0], pattern: "line 7:" }, site as never),
    );
    for (const answer of await Promise.all(answers)) expect(answer).toContain("page 0 line 7:");
  });

  it("leave what else a call says of their id as it is", async () => {
    const { ids, site, offloader } = await lost((now) => memoryStore({ now }));
    const given = { id: ids[0], pattern: `/backup/files_${ids[0]}.json` };
    const restored = await createRestoring(internals(offloader).core)(site, given);
    expect(restored.args).toEqual(given);
  });
});
