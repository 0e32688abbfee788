import { setTimeout } from "node:timers/promises";

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";

import { ageMessages, aging } from "../../../../src/adapters/langchain/aging/index.js";
import { createRestoring } from "../../../../src/adapters/langchain/aging/restore-aged.js";
import { internals } from "../../../../src/core/pipeline/offloader.js";
import {
  type ArtifactStore,
  createDrillInTools,
  createOffloader,
  memoryStore,
} from "../../../../src/index.js";
import type { AgingOptions } from "../../../../src/plugins/aging/choose-stale.js";
import { idsShown, soon } from "./rig.js";
import { thread } from "../../agents.js";

interface Lost {
  readonly ids: readonly string[];
  /** Calls the drill-in tool whose name begins so. */
  call(tool: string, args: object): Promise<string>;
  /** What a call reads by, once what it names is stored again. */
  named(args: object): Promise<unknown>;
}

/** A conversation whose aged results the store has let expire. */
async function lost(
  storeOf: (now: () => number) => ArtifactStore,
  { name = "read_page", rules = soon }: { name?: string; rules?: AgingOptions } = {},
): Promise<Lost> {
  let nowMs = 1_800_000_000_000;
  const now = (): number => nowMs;
  const offloader = createOffloader({ store: storeOf(now), plugins: [aging(rules)], now });
  onTestFinished(() => offloader.close());
  const turns = Array.from({ length: 8 }, (_, page): BaseMessage[] => {
    const rows = Array.from({ length: 500 }, (_row, id) => ({ id, page, note: "word ".repeat(5) }));
    const call = { name, args: { page }, id: `call_${page}` };
    return [
      new AIMessage({ id: `answer_${page}`, content: "", tool_calls: [call] }),
      new ToolMessage({
        id: `result_${page}`,
        content: JSON.stringify(rows),
        tool_call_id: call.id,
        name,
      }),
    ];
  });
  const messages = [
    new HumanMessage({ id: "asked", content: "Read." }),
    ...turns.flat(),
    new AIMessage({ id: "last", content: "Well." }),
  ];
  const config = thread("thread");
  const { shown, update } = await ageMessages(offloader, messages, config);
  nowMs += 40 * 86_400_000;
  const site = { ...config, state: { messages: messagesStateReducer(messages, update) } };
  return {
    ids: idsShown(shown),
    named: async (args) => (await createRestoring(internals(offloader).core)(site, args)).args,
    async call(tool, args) {
      const found = createDrillInTools(offloader).find((one) => one.name.startsWith(tool));
      return String(await found?.invoke(args, site as never));
    },
  };
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
    const { ids, call } = await lost((now) => slowly(memoryStore({ now })));
    const calls = Array.from({ length: 8 }, (_, at) =>
      call(at % 2 === 0 ? "read_" : "grep_", {
        id: ids[0],
        ...(at % 2 === 1 && { pattern: '"id":7,' }),
      }),
    );
    for (const answer of await Promise.all(calls)) expect(answer).toContain('"id":7,');
  });

  it("leave what else a call says of their id as it is", async () => {
    const { ids, named } = await lost((now) => memoryStore({ now }));
    const given = { id: ids[0], pattern: `/backup/files_${ids[0]}.json` };
    expect(await named(given)).toEqual(given);
  });
});
