import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  aged,
  breaksIn,
  idsShown,
  pageOf,
  pages,
  readsBack,
  rigOf,
  sent,
  soon,
  toolContents,
} from "./rig.js";

const replacing = { ...soon, mode: "replace" } as const;

describe("aging that replaces", () => {
  it("leaves the lines in the state too, and gives every result back", async () => {
    const { model, send, events } = rigOf([...pages(12), readsBack(0), "Done."], {
      aging: replacing,
    });
    const messages = await send("Read.");
    const kept = toolContents(messages);
    expect(kept.slice(0, 9)).toEqual(toolContents(model.requests.at(-1)).slice(0, 9));
    expect(kept[0]).toContain("[aged");
    expect(kept.at(-1)).toBe(`The whole output, 30 lines:\n${pageOf(0)}`);
    expect(breaksIn(model.requests)).toBe(aged(events).length);
  });

  it("makes the checkpoints of a long conversation smaller by more than half", async () => {
    async function bytesWith(mode: "mark" | "replace"): Promise<number> {
      const { agent, send } = rigOf(pages(60), {
        aging: { ...soon, mode },
        checkpointer: new MemorySaver(),
      });
      await send("Read.");
      for await (const state of agent.getStateHistory({ configurable: { thread_id: "one" } })) {
        return JSON.stringify(state.values).length;
      }
      return 0;
    }
    expect(await bytesWith("replace")).toBeLessThan((await bytesWith("mark")) / 2);
  });

  it("shows a fork from after a batch the same lines", async () => {
    const { agent, model, send } = rigOf(pages(8), { aging: replacing });
    await send("Read.");
    const states = [];
    for await (const state of agent.getStateHistory({ configurable: { thread_id: "one" } }))
      states.push(state);
    const fork = states.find(({ values }) => idsShown(values.messages).length > 0);
    const asked = model.requests.length;
    await agent.invoke({ messages: "Once more." }, { ...fork?.config, recursionLimit: 100 });
    const shown = sent(model.requests[asked]).filter((text) => text.includes("[aged"));
    expect(sent(fork?.values.messages)).toEqual(expect.arrayContaining(shown));
  });
});
