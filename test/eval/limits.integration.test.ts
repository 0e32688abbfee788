import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { scriptedModel } from "../../src/testing/scripted-model.js";
import { createTokenCounter } from "../../eval/tokens.js";
import { toolNamed } from "../adapters/agents.js";
import { heldSamples } from "./arm-run.js";

const reference = new Tiktoken(o200k);
const tokensOf = (text: string): number => reference.encode(text, [], []).length;

describe("the limits of a conversation", () => {
  it("end the paper's inline arm after 20 calls, and let the fair one come to its end", async () => {
    const given = { arms: ["paged-20", "paged-fair"], corpora: ["orders"] as const };
    const [paper, fair] = await heldSamples({ ...given, scales: [150], kinds: ["count"] });
    expect(paper).toMatchObject({ outcome: "turn-limit", reply: "", recordsSeen: 95 });
    expect(paper?.calls).toHaveLength(20);
    expect(fair).toMatchObject({ outcome: "answered", recordsSeen: 150 });
    expect(fair?.calls).toHaveLength(31);
  });

  it("make no call that is over the window", async () => {
    const given = { arms: ["inline", "bare"], corpora: ["orders"] as const, windowTokens: 3_000 };
    const samples = await heldSamples({ ...given, kinds: ["count"] });
    const [inline, bare] = samples;
    expect(inline).toMatchObject({ outcome: "did-not-fit", offloaded: false, recordsSeen: 0 });
    expect(inline?.calls).toHaveLength(1);
    expect(inline?.refusedTokens).toBeGreaterThan(3_000);
    expect(bare).toMatchObject({ outcome: "answered", offloaded: true });
    for (const { calls } of samples) {
      for (const { inputTokens } of calls) expect(inputTokens).toBeLessThanOrEqual(3_000);
    }
  });
});

it("the tokens of a conversation are counted as js-tiktoken counts, for texts, tool calls and tool definitions", async () => {
  const counter = await createTokenCounter();
  const list = toolNamed("list", () => "", z.object({ page: z.int() }));
  const call = { name: "list", args: { page: 2 } };
  const parts = counter.partsOf([list], "Be brief.", [
    new HumanMessage("How many?"),
    new AIMessage({ content: "I look.", tool_calls: [{ ...call, id: "1" }] }),
    new ToolMessage({ content: "naïve 漢字 🙂", tool_call_id: "1" }),
  ]);
  const [head, ...messages] = parts;
  expect(messages.map(({ tokens }) => tokens)).toEqual([
    tokensOf("How many?"),
    tokensOf("I look.") + tokensOf(JSON.stringify(call)),
    tokensOf("naïve 漢字 🙂"),
  ]);
  const definition = head?.texts[0] ?? "";
  expect(JSON.parse(definition)).toMatchObject({
    function: { name: "list", parameters: { properties: { page: { type: "integer" } } } },
  });
  expect(head?.tokens).toBe(tokensOf(definition) + tokensOf("Be brief."));
});

it("a failed model call is tried again when that may help, and else makes an error of the conversation", async () => {
  let attempts = 0;
  const failing = (status: number, times: number) =>
    scriptedModel([
      () => {
        attempts += 1;
        if (attempts <= times) throw Object.assign(new Error("failed"), { status });
        return "ANSWER: 3";
      },
    ]);
  const given = { arms: ["inline"], corpora: ["orders"] as const, kinds: ["count"] as const };
  const [patient] = await heldSamples(given, failing(429, 2));
  expect({ attempts, ...patient }).toMatchObject({ attempts: 3, reply: "ANSWER: 3" });
  const [failed] = await heldSamples(given, failing(401, 4));
  expect({ attempts, ...failed }).toMatchObject({ attempts: 4, outcome: "error" });
});
