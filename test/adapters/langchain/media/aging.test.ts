import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterAll, describe, expect, it } from "vitest";

import { ageMessages, aging } from "../../../../src/adapters/langchain/aging/index.js";
import { answerMessage } from "../../../../src/adapters/langchain/drill-in-tools.js";
import { createOffloader, memoryStore, type Offloader } from "../../../../src/index.js";
import type { AgingOptions } from "../../../../src/plugins/aging/choose-stale.js";
import { png } from "../../../core/pipeline/media/samples.js";
import { media } from "../../../../src/plugins/media/media.js";
import { thread } from "../../agents.js";

const ID = "01K9ZQ4T6V8W0X2Y4Z6A8B0C2D";
const base64 = png(1_200, 900).toString("base64");
const offloaders: Offloader[] = [];
afterAll(async () => {
  await Promise.all(offloaders.map((one) => one.close()));
});

/** So many looks at a picture, one after the other. */
function looks(count: number): BaseMessage[] {
  const turns = Array.from({ length: count }, (_, at) => {
    const id = `c${at}`;
    const call = { id, name: "view_tool_output", args: { id: ID }, type: "tool_call" as const };
    const shown = {
      kind: "image" as const,
      type: "image/png",
      base64,
      name: "a.png",
      tokens: 1_440,
    };
    const said = { text: "image/png:", failed: false, shown };
    const answer = answerMessage(said, "view_tool_output", id);
    answer.id = `t${at}`;
    return [new AIMessage({ id: `a${at}`, content: "", tool_calls: [call] }), answer];
  });
  return [new HumanMessage({ id: "h", content: "Go." }), ...turns.flat()];
}

async function aged(count: number, options: AgingOptions = {}) {
  const rules = { trigger: { tokens: 5_000 }, keep: { results: 2 }, ...options };
  const plugins = [media(), aging(rules)];
  const offloader = createOffloader({ store: memoryStore(), plugins });
  offloaders.push(offloader);
  return await ageMessages(offloader, looks(count), thread("thread"));
}

const images = (messages: readonly BaseMessage[]): number =>
  messages.filter((one) => JSON.stringify(one.content).includes(base64)).length;

describe("aging of files that were shown", () => {
  it("leaves them below its trigger, which counts what they cost and not their base64", async () => {
    const { shown, update } = await aged(3);
    expect(images(shown)).toBe(3);
    expect(update).toEqual([]);
  });

  it("lets the older ones leave, behind a line with the call that shows them again", async () => {
    const { shown } = await aged(10);
    expect(images(shown)).toBe(2);
    const first = shown.find((one) => ToolMessage.isInstance(one));
    expect(first?.text).toMatch(new RegExp(`^\\[aged: .*Its call on ${ID} stands above\\]$`));
  });

  it("takes them out of the checkpoint too in mode replace", async () => {
    const { update } = await aged(10, { mode: "replace" });
    expect(update).toHaveLength(8);
    expect(images(update)).toBe(0);
  });
});
