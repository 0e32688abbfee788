import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { createMeasure } from "../../src/core/measure/measure.js";
import { Conversation } from "../../src/adapters/langchain/model-call/context.js";
import { memoryStore, type OffloadOptions } from "../../src/index.js";
import type { DecideContext } from "../../src/core/decide/gate.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { toolMessages } from "./large-outputs.js";

const ask = { messages: [new HumanMessage("go")] };
const words = " word".repeat(3000);
const threshold = { tokens: 1600 };

const speak = toolNamed("speak", () => words);

function agentWith(options: OffloadOptions): ReturnType<typeof agentOf> {
  return agentOf(
    [calling("speak")],
    [speak],
    { store: memoryStore(), ...options },
    { contextSchema: z.object({ offload: z.unknown().optional() }) },
  );
}

const outcomeIn = (messages: readonly BaseMessage[]): string =>
  toolMessages(messages)[0]?.text === words ? "inline" : "offloaded";

describe("options of one run", () => {
  it.each<[string, object, string]>([
    ["nothing", {}, "offloaded"],
    [
      "a higher threshold",
      { configurable: { offload: { threshold: { tokens: 3000 } } } },
      "inline",
    ],
    [
      "a threshold one below",
      { configurable: { offload: { threshold: { tokens: 2999 } } } },
      "offloaded",
    ],
    [
      "a threshold in bytes",
      { configurable: { offload: { threshold: { bytes: 15_000 } } } },
      "inline",
    ],
    ["enabled: false", { configurable: { offload: { enabled: false } } }, "inline"],
    ["the runtime context", { context: { offload: { enabled: false } } }, "inline"],
  ])("%s gives %s", async (_, config, outcome) => {
    const { messages } = await agentWith({ threshold }).invoke(ask, config);
    expect(outcomeIn(messages)).toBe(outcome);
  });

  it("that are not allowed are ignored with a warning that names them", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const config = { configurable: { offload: { treshold: { tokens: 9000 } } } };
    const { messages } = await agentWith({ threshold }).invoke(ask, config);
    expect(outcomeIn(messages)).toBe("offloaded");
    expect(JSON.stringify(warn.mock.calls)).toContain("treshold");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the conversation that gates see", () => {
  const seen: Pick<DecideContext, "conversationTokens" | "contextWindowTokens">[] = [];
  const gates = [
    ({ conversationTokens, contextWindowTokens }: DecideContext) => {
      seen.push({ conversationTokens, contextWindowTokens });
      return undefined;
    },
  ];

  it("has the window of the model's profile, and its tokens counted as those of outputs are", async () => {
    const profile = { maxInputTokens: 4321 };
    const agent = agentOf([calling("speak")], [speak], { gates }, { profile });
    await agent.invoke({ messages: "漢字".repeat(50) });
    expect(seen.at(-1)?.contextWindowTokens).toBe(4321);
    // Of 100 characters, which would be 25 tokens at four a token.
    const { tokens } = await createMeasure().count("漢字".repeat(50));
    const asked = await createMeasure().count('{"name":"speak","args":{}}');
    expect(tokens).toBeGreaterThan(90);
    expect(seen.at(-1)?.conversationTokens).toBe(tokens + 3 + asked.tokens + 3);
  });

  it("is what the last answer reports, and what came after it", () => {
    const usage_metadata = { input_tokens: 900, output_tokens: 100, total_tokens: 1000 };
    const answer = Object.assign(new AIMessage("long ago"), { usage_metadata });
    const later = new HumanMessage("y".repeat(40));
    expect(new Conversation([new HumanMessage("z".repeat(9000)), answer], undefined).tokens).toBe(
      1000,
    );
    expect(new Conversation([answer, later], undefined).tokens).toBe(1010);
    expect(new Conversation([], 5)).toMatchObject({ tokens: 0, contextWindowTokens: 5 });
  });
});
