import { afterAll, describe, expect, it } from "vitest";

import { answerLimit } from "../../../src/core/drill-in/answer.js";
import {
  CALL,
  createTestStore,
  drillInOver,
  MEASURE,
  nextOf,
  SESSION_KEY,
} from "./stored-outputs.js";

const limits = { maxOutputTokens: 2000, maxRequestedTokens: 8000 };
const WINDOW = 10_000;

describe("the length of an answer", () => {
  it.each([
    ["is the usual one when none is asked for", undefined, undefined, 2000],
    ["is what is asked for", 500, undefined, 500],
    ["is what is asked for, above the usual one", 8000, undefined, 8000],
    ["is never more than what may be asked for", 8001, undefined, 8000],
    ["leaves room for a sentence", 1, undefined, 200],
    ["is at most what nine tenths of the window have left", 8000, 4000, 5000],
    ["is at most that when nothing is asked for too", undefined, 8000, 1000],
    ["leaves room for a sentence where the window is full", 8000, WINDOW, 200],
  ])("%s", (_, asked, conversationTokens, tokens) => {
    const conversation =
      conversationTokens === undefined
        ? undefined
        : { tokens: conversationTokens, contextWindowTokens: WINDOW };
    expect(answerLimit(asked, limits, { conversation })).toBe(tokens);
  });

  it("is a share of the room where a turn has several drill-ins", () => {
    const conversation = { tokens: 4000, contextWindowTokens: WINDOW };
    expect(answerLimit(8000, limits, { conversation, turnCalls: 4 })).toBe(1250);
    expect(answerLimit(8000, limits, { conversation, turnCalls: 0 })).toBe(5000);
    expect(answerLimit(8000, limits, { turnCalls: 4 })).toBe(8000);
  });
});

describe("max_tokens", () => {
  const store = createTestStore();
  const text = Array.from({ length: 800 }, (_, n) => `line ${n} of a text`).join("\n");
  const stored = store.add(text, { tokens: 5600 });
  const drillIn = drillInOver(store);
  afterAll(() => drillIn.close());

  it("brings a text in one answer that fits into it", async () => {
    const answer = await drillIn.run("read", { id: stored.id, max_tokens: "8000" }, CALL);
    expect(answer.text).toBe(`The whole output, 800 lines:\n${text}`);
    expect(answer.tokens).toBeGreaterThan(5000);
  });

  it("is carried on by the next call, and only when it was given", async () => {
    const asked = await drillIn.run("read", { id: stored.id, max_tokens: 1000 }, CALL);
    expect(asked.tokens).toBeLessThanOrEqual(1000);
    expect(nextOf(asked)).toMatchObject({ id: stored.id, max_tokens: 1000 });
    expect(nextOf(await drillIn.run("read", { id: stored.id }, CALL))).not.toHaveProperty(
      "max_tokens",
    );
  });

  it("is cut to what the conversation has left", async () => {
    const conversation = { tokens: 6000, contextWindowTokens: WINDOW };
    const args = { id: stored.id, max_tokens: 8000 };
    const answer = await drillIn.run("read", args, { sessionKey: SESSION_KEY, conversation });
    expect(answer.tokens).toBeLessThanOrEqual(3000);
    expect((await MEASURE.count(answer.text)).tokens).toBe(answer.tokens);
    expect(nextOf(answer)).toMatchObject({ max_tokens: 8000 });
  });
});

describe("a next call names an output as the call before did", () => {
  const store = createTestStore();
  const drillIn = drillInOver(store);
  afterAll(() => drillIn.close());

  it.each(["read", "grep"] as const)(
    "by its id after a name that leaves no room for data: %s",
    async (tool) => {
      const title = "1f 8e 4c 0b ".repeat(14).trim();
      const { id } = store.add("\u001b[31ma line\u001b[0m\n".repeat(900), { title });
      await drillIn.run("read", { id }, CALL);
      const args = { id: title, pattern: "line", max_tokens: 200 };
      const { text, tokens } = await drillIn.run(tool, args, CALL);
      expect(tokens).toBeLessThanOrEqual(200);
      expect(text).toContain(`\nNext call: ${tool}_tool_output {"id":"${id}",`);
      expect(text).toContain("[31ma line");
    },
  );
});
