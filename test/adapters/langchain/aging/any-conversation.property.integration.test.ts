import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { expect, it } from "vitest";

import {
  ageMessages,
  aging,
  shownMessages,
} from "../../../../src/adapters/langchain/aging/index.js";
import { markOf } from "../../../../src/adapters/langchain/aging/messages.js";
import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  type Offloader,
} from "../../../../src/index.js";
import { unescapeText } from "../../../core/drill-in/unescape-text.js";
import { expectPairs, sent } from "./rig.js";
import { thread } from "../../agents.js";

type Content = ToolMessage["content"];

/** One step of a conversation: results of parallel calls, or something that happens to its process. */
type Step =
  | { readonly results: readonly { readonly content: Content; readonly fails: boolean }[] }
  | { readonly happens: "restart" | "expiry" }
  | { readonly fork: number };

/** So large that a few free 10,000 tokens, the least that leaves at once. */
const TIMES = 12;
const text = fc.oneof(
  fc.string({ minLength: 400, maxLength: 1_200, unit: "binary" }).map((part) => part.repeat(TIMES)),
  fc
    .array(fc.constantFrom("word", "\ud800", "\r\n", "\u0000", "\u001b[1m", "é", "{", '"', " "), {
      minLength: 300,
      maxLength: 700,
    })
    .map((parts) => parts.join(" ").repeat(TIMES)),
  fc
    .array(fc.record({ id: fc.nat(), note: fc.string() }), { minLength: 20, maxLength: 40 })
    .map((rows) => JSON.stringify(Array.from({ length: TIMES }, () => rows).flat())),
  fc
    .string({ minLength: 600, maxLength: 900 })
    .map((inner) => JSON.stringify(JSON.stringify({ inner: inner.repeat(TIMES) }))),
  fc.constant("small"),
);
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 4, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc
      .array(text, { minLength: 1, maxLength: 2 })
      .map((texts) => texts.map((one) => ({ type: "text", text: one }))),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      results: fc.array(fc.record({ content, fails: fc.constantFrom(false, false, false, true) }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ happens: fc.constantFrom("restart" as const, "expiry" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ fork: fc.nat({ max: 6 }) }) },
);

const config = thread("thread");
const serde = new JsonPlusSerializer();

/** The messages as a checkpointer gives them back in another process. */
async function reloaded(messages: readonly BaseMessage[]): Promise<BaseMessage[]> {
  const [type, bytes] = await serde.dumpsTyped(messages);
  return await serde.loadsTyped(type, bytes);
}

/** Messages at the start that are the same in both. */
function shared(one: readonly string[], other: readonly string[]): number {
  const place = one.findIndex((message, at) => message !== other[at]);
  return place === -1 ? one.length : place;
}

async function readBack(
  offloader: Offloader,
  id: string,
  messages: readonly BaseMessage[],
): Promise<string> {
  const [read] = createDrillInTools(offloader);
  const answer: unknown = await read?.invoke({ id }, { ...config, state: { messages } } as never);
  const [head = "", ...lines] = String(answer).split("\n");
  expect(head).toMatch(/^The whole output, /);
  const body = lines.join("\n");
  return head.includes("Control characters") ? unescapeText(body) : body;
}

it.each(["mark", "replace"] as const)(
  "a conversation in which results leave keeps its pairs, shares the longest prefix from call to call, and gives back every text, in mode %s",
  async (mode) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 16 }),
        fc.nat({ max: 2 }),
        async (steps, keep) => {
          let now = 1_800_000_000_000;
          const store = memoryStore({ now: () => now });
          const open = (): Offloader =>
            createOffloader({
              store,
              plugins: [aging({ trigger: { tokens: 5_000 }, keep: { results: keep }, mode })],
              drillIn: { maxAnswerTokens: 200, sql: false },
              now: () => now,
            });
          let offloader = open();
          let state: BaseMessage[] = [new HumanMessage({ content: "Go.", id: "human" })];
          let before: string[] = [];
          const forks: { state: BaseMessage[]; before: string[] }[] = [];
          const originals = new Map<string, Content>();
          let calls = 0;
          for (const step of steps) {
            if ("happens" in step) {
              if (step.happens === "expiry") now += 2 * 3_600_000;
              else {
                await offloader.close();
                offloader = open();
                state = await reloaded(state);
              }
              continue;
            }
            if ("fork" in step) {
              const fork = forks[step.fork];
              if (fork !== undefined) ({ state, before } = fork);
              continue;
            }
            const { shown, update } = await ageMessages(offloader, state, config);
            const sentNow = sent(shown);
            const kept = messagesStateReducer(state, [...update]);
            expect(sent(shownMessages(kept))).toEqual(sentNow);
            const first = shown.findIndex(({ id }) => update.some((message) => message.id === id));
            expectPairs(shown);
            expect(shown.map(({ id }) => id)).toEqual(state.map(({ id }) => id));
            expect(shared(before, sentNow)).toBe(
              first === -1 ? before.length : Math.min(first, before.length),
            );
            before = sentNow;
            const results = step.results.map(({ content: given, fails }) => {
              calls += 1;
              originals.set(`result ${calls}`, given);
              return new ToolMessage({
                id: `result ${calls}`,
                tool_call_id: `call ${calls}`,
                name: "look",
                content: given,
                status: fails ? "error" : "success",
              });
            });
            const tool_calls = results.map(({ tool_call_id: id }) => ({
              id,
              name: "look",
              args: {},
            }));
            const answer = new AIMessage({ id: `answer ${calls}`, content: "", tool_calls });
            state = messagesStateReducer(kept, [answer, ...results]);
            forks.push({ state, before });
          }
          for (const message of state) {
            const mark = markOf(message);
            const original = originals.get(message.id ?? "") ?? "";
            if (mode === "mark" && ToolMessage.isInstance(message))
              expect(message.content).toEqual(original);
            if (mark === undefined) continue;
            const whole = await readBack(offloader, mark.id ?? "", state);
            const texts =
              typeof original === "string" ? [original] : original.map((block) => block["text"]);
            expect(whole).toBe(texts.join("\n").toWellFormed());
          }
          await offloader.close();
        },
      ),
      { numRuns: 14 },
    );
  },
);
