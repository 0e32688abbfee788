import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it, vi } from "vitest";

import { ageMessages, aging } from "../../../src/adapters/langchain/aging/index.js";
import { answerMessage } from "../../../src/adapters/langchain/drill-in-tools.js";
import { contextOf, Conversation } from "../../../src/adapters/langchain/model-call/context.js";
import { messageWith } from "../../../src/adapters/langchain/tool/messages.js";
import type { AgingOptions } from "../../../src/plugins/aging/choose-stale.js";
import { media } from "../../../src/plugins/media/media.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { png } from "../../core/pipeline/media/samples.js";
import { countTurns } from "../../count-turns.js";
import { thread, toolNamed } from "../agents.js";

it("a changed message is serialized with what was set on it later, and without unknown fields", () => {
  const given = { content: "a", tool_call_id: "c", raw: "payload" };
  const message = new ToolMessage(given);
  const later = { name: "search", id: "m1", artifact: { a: 1 }, status: "error" } as const;
  const changed = messageWith(Object.assign(message, later), { content: "b" });
  const { kwargs } = changed.toJSON() as unknown as { readonly kwargs: object };
  expect(kwargs).toMatchObject({ ...later, content: "b", tool_call_id: "c" });
  expect(kwargs).not.toHaveProperty("raw");
});

const stored = { ...contractArtifact(0), sizeBytes: 80_000, tokens: 31_000 };
const response_metadata = { "langchain-offload": [stored] };

it.each([
  new HumanMessage({ content: "A descriptor.", response_metadata }),
  new ToolMessage({
    content: "A descriptor.",
    tool_call_id: "c",
    artifact: { its: "own" },
    response_metadata,
  }),
])("without the library a context has all that $type messages point to", (message) => {
  const { withoutTokens } = contextOf({ messages: [message] } as never, 0, new Set());
  expect(withoutTokens).toBe(20_000);
});

it("other work goes on while a long conversation is counted", async () => {
  const messages = Array.from({ length: 40 }, () => new HumanMessage("word ".repeat(2000)));
  const count = (text: string) => ({ tokens: text.length / 4 });
  const counted = countTurns();
  expect(await new Conversation({ messages }, 1e6).countedBy({ count })).toBe(40 * 2503);
  counted.stop();
  expect(counted.turns()).toBeGreaterThan(5);
});

describe("S16: a tool that is wrapped alone", () => {
  const long = toolNamed("read_log", () => "A line of the log.\n".repeat(5_000));

  it("warns once that nothing reads what it stores, until something has asked for the tools", async () => {
    // Whether anything has asked is known of a process: other tests have.
    vi.resetModules();
    const { withOffload } = await import("../../../src/adapters/langchain/with-offload.js");
    const { createDrillInTools } =
      await import("../../../src/adapters/langchain/drill-in-tools.js");
    const { createOffloader } = await import("../../../src/core/pipeline/create-offloader.js");
    const { memoryStore } = await import("../../../src/core/store/memory.js");
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const silent = createOffloader({ store: memoryStore(), drillIn: false });
    await withOffload(long, { offloader: silent }).invoke({});
    expect(warned).not.toHaveBeenCalled();
    const offloader = createOffloader({ store: memoryStore() });
    const wrapped = withOffload(long, { offloader });
    await wrapped.invoke({});
    await wrapped.invoke({});
    expect(warned.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining("createDrillInTools(offloader)"),
    ]);
    createDrillInTools(offloader);
    const { invoke } = withOffload(Object.assign(Object.create(long), { name: "other" }), {
      offloader,
    });
    await invoke({});
    expect(warned).toHaveBeenCalledTimes(1);
    warned.mockRestore();
  });
});

const opened = openedOffloaders();
const ID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
const base64 = png(1_200, 900).toString("base64");
/** So many looks at a picture, one after the other. */
function looks(count: number): BaseMessage[] {
  const turns = Array.from({ length: count }, (_, at) => {
    const id = `c${at}`;
    const call = { id, name: "view_tool_output", args: { id: ID }, type: "tool_call" as const };
    const picture = { kind: "image", type: "image/png", name: "a.png" } as const;
    const shown = { ...picture, base64, tokens: 1_440 };
    const said = { text: "image/png:", failed: false, shown };
    const answer = answerMessage(said, "view_tool_output", id);
    answer.id = `t${at}`;
    return [new AIMessage({ id: `a${at}`, content: "", tool_calls: [call] }), answer];
  });
  return [new HumanMessage({ id: "h", content: "Go." }), ...turns.flat()];
}

async function aged(count: number, options: AgingOptions = {}) {
  const rules = { trigger: { tokens: 5_000 }, keep: { results: 2 }, ...options };
  const { offloader } = opened({ plugins: [media(), aging(rules)] });
  return await ageMessages(offloader, looks(count), thread("thread"));
}

const images = (messages: readonly BaseMessage[]): number =>
  messages.filter((one) => JSON.stringify(one.content).includes(base64)).length;

it("files that were shown age: none below the trigger, which counts no base64, then the older ones, out of the checkpoint too in mode replace", async () => {
  const few = await aged(3);
  expect([images(few.shown), few.update]).toEqual([3, []]);
  const { shown } = await aged(10);
  expect(images(shown)).toBe(2);
  // The call that shows it again stands in its place.
  const first = shown.find((one) => ToolMessage.isInstance(one));
  expect(first?.text).toMatch(new RegExp(`^\\[aged: .*Its call on ${ID} stands above\\]$`));
  const { update } = await aged(10, { mode: "replace" });
  expect([update.length, images(update)]).toEqual([8, 0]);
});
