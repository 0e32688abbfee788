import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  countTokensApproximately,
  createMiddleware,
  modelRetryMiddleware,
  summarizationMiddleware,
  toolStrategy,
} from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { shownMessages } from "../../../../src/adapters/langchain/aging/index.js";
import { scriptedModel, type ScriptedTurn } from "../../../../src/testing/scripted-model.js";
import { calling, thread } from "../../agents.js";
import { listRows, receiver, storedIn } from "../../receiving-tool.js";
import {
  aged,
  breaksIn,
  expectPairs,
  idsShown,
  pageOf,
  pages,
  readPage,
  readsBack,
  rigOf,
  sent,
  toolContents,
} from "./rig.js";

const whole = (count: number): string[] => Array.from({ length: count }, (_, page) => pageOf(page));

it.each(["inside", "outside"])(
  "aging beside context editing %s of it keeps every result where it stands first, and never ages what was cleared before it",
  async (order) => {
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: 2_000 }, keep: { messages: 3 } })];
    const clearing = [contextEditingMiddleware({ edits })];
    const around = order === "inside" ? { after: clearing } : { before: clearing };
    const { model, send } = rigOf([...pages(12), readsBack(0), "Done."], around);
    const contents = toolContents(await send("Read."));
    for (const request of model.requests) expectPairs(request);
    for (const [place, line] of toolContents(model.requests.at(-1)).entries()) {
      expect(line).not.toContain('"[cleared]"');
      if (String(line).startsWith("[aged: read_page")) expect(contents[place]).toBe(pageOf(place));
    }
    if (order === "outside") return;
    expect(contents.slice(0, 12)).toEqual(whole(12));
    expect(contents.at(-1)).toContain(pageOf(0));
    expect(idsShown(model.requests.at(-1)).length).toBeGreaterThan(5);
  },
);

describe("aging beside summaries", () => {
  const summarizing = (counter?: (messages: BaseMessage[]) => number): AgentMiddleware =>
    summarizationMiddleware({
      model: scriptedModel(Array.from({ length: 20 }, () => "All that was said.")),
      trigger: { tokens: 31_000 },
      keep: { messages: 8 },
      ...(counter && { tokenCounter: counter }),
    } as never);
  const summaries = (messages: readonly BaseMessage[]): number =>
    messages.filter(({ content }) => JSON.stringify(content).includes("All that was said.")).length;

  it.each(["first", "last"])(
    "is not summed up where the counter sees it, standing %s",
    async (order) => {
      const other = [summarizing((messages) => countTokensApproximately(shownMessages(messages)))];
      const { model, send } = rigOf(
        pages(12),
        order === "first" ? { after: other } : { before: other },
      );
      const messages = await send("Read.");
      expect(summaries(messages)).toBe(0);
      expect(idsShown(model.requests.at(-1)).length).toBeGreaterThan(5);
    },
  );

  it.each(["first", "last"])("can be read after a summary, standing %s", async (order) => {
    const other = [summarizing()];
    let first = "";
    let asked = 0;
    // A summary takes the turns away by which a script counts.
    const next: ScriptedTurn = (messages) => {
      first ||= idsShown(messages)[0] ?? "";
      asked += 1;
      if (asked === 14) return calling("read_tool_output", { id: first });
      if (asked > 14) return "Done.";
      return calling("read_page", { number: asked - 1 });
    };
    const turns = Array.from({ length: 40 }, () => next);
    const { model, send } = rigOf(turns, order === "first" ? { after: other } : { before: other });
    const messages = await send("Read.");
    expect(summaries(messages)).toBeGreaterThan(0);
    for (const request of model.requests) expectPairs(request);
    expect(idsShown(messages)).not.toContain(first);
    expect(toolContents(messages).at(-1)).toBe(`The whole output, 30 lines:\n${pageOf(0)}`);
  });
});

it("aging in an agent whose structured response is a tool's keeps the response and writes its marks", async () => {
  // What is stale leaves in the very call that answers.
  const answer: ScriptedTurn = () =>
    calling(model.boundTools.find((bound) => bound.startsWith("extract")) ?? "", { total: 7 });
  const responseFormat = toolStrategy(z.object({ total: z.number() }));
  const { agent, model, events, send } = rigOf([...pages(6), answer], { responseFormat });
  const result = await agent.invoke(
    { messages: "Read." },
    { ...thread("one"), recursionLimit: 100 },
  );
  expect(result).toMatchObject({ structuredResponse: { total: 7 } });
  expect(aged(events)).toHaveLength(1);
  expect(toolContents(result.messages).slice(0, 6)).toEqual(whole(6));
  const asked = model.requests.length;
  const last = sent(model.requests.at(-1));
  expect(idsShown(model.requests.at(-1))).toHaveLength(4);
  await send("More.");
  expect(sent(model.requests[asked]).slice(0, last.length)).toEqual(last);
});

describe("aging in other agents", () => {
  it.each(["inside", "outside"])(
    "shows a call that is tried again the same, retries %s",
    async (order) => {
      let failures = 0;
      const seen: string[][] = [];
      const flaky: AgentMiddleware = {
        name: "flaky",
        wrapModelCall: (request, handler) => {
          seen.push(sent(request.messages));
          failures += 1;
          if (failures % 2 === 1) throw new Error("overloaded");
          return handler(request);
        },
      };
      const retry = modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 });
      const { model, send, events } = rigOf(
        pages(8),
        order === "inside" ? { after: [retry, flaky] } : { before: [retry], after: [flaky] },
      );
      await send("Read.");
      for (let at = 0; at + 1 < seen.length; at += 2) expect(seen[at + 1]).toEqual(seen[at]);
      expect(breaksIn(model.requests)).toBe(aged(events).length);
    },
  );

  it("streams each result once, in every mode", async () => {
    const { agent } = rigOf([...pages(8), readsBack(0), "Done."]);
    const config = { configurable: { thread_id: "one" }, recursionLimit: 200 };
    const counts: Record<string, number> = {};
    const customs: unknown[] = [];
    const stream = await agent.stream(
      { messages: "Read." },
      { ...config, streamMode: ["messages", "updates", "values", "custom"] },
    );
    for await (const part of stream) {
      const [mode, chunk] = part as [string, unknown];
      if (mode === "custom") customs.push(chunk);
      const [message] = Array.isArray(chunk) ? (chunk as unknown[]) : [];
      if (mode !== "messages" || !ToolMessage.isInstance(message)) continue;
      if (message.name !== "read_page") continue;
      counts[message.tool_call_id] = (counts[message.tool_call_id] ?? 0) + 1;
    }
    expect(counts).toEqual(Object.fromEntries(whole(8).map((_, page) => [`page_${page}`, 1])));
    expect(customs).toContainEqual({
      "langchain-offload": expect.objectContaining({ type: "aged" }),
    });
    expect(customs).toContainEqual({
      "langchain-offload": expect.objectContaining({ type: "restored" }),
    });
  });
});

/** A middleware that does something with an answer that calls `send_report`. */
function guard(
  other: (answer: AIMessage, again: () => Promise<unknown>) => unknown,
): AgentMiddleware {
  return createMiddleware({
    name: "guard",
    async wrapModelCall(request, handler) {
      const answer = await handler(request);
      const isReport =
        AIMessage.isInstance(answer) && answer.tool_calls?.[0]?.args["title"] === "bad";
      return (isReport ? await other(answer, async () => await handler(request)) : answer) as never;
    },
  });
}

const PAGES = 6;
/** The model call that makes the report, among the others. */
const REPORT = PAGES + 1;

/** An agent that wants to send a stored output in the very call before which results leave. */
function reportingRig(middleware: AgentMiddleware): ReturnType<typeof rigOf> & {
  readonly given: ReturnType<typeof receiver>["given"];
} {
  const { given, sendReport } = receiver();
  let asked = 0;
  const rig = rigOf(
    [
      calling("list_rows"),
      ...pages(PAGES),
      (messages) => {
        asked += 1;
        const args = {
          title: asked === 1 ? "bad" : "good",
          rows: { $output: storedIn(messages).id },
        };
        return { toolCalls: [{ name: "send_report", args, id: `report_${asked}` }] };
      },
      "Done.",
    ],
    { tools: [readPage, listRows, sendReport], before: [middleware] },
  );
  return { ...rig, given };
}

describe("an answer that another middleware does not let through", () => {
  const cases: readonly [string, Parameters<typeof guard>[0], readonly string[]][] = [
    ["is refused", () => new AIMessage("I cannot do that."), []],
    [
      "is written anew",
      ({ tool_calls: [call] = [] }) =>
        new AIMessage({
          content: "",
          tool_calls: call ? [{ ...call, args: { ...call.args, title: "safe" } }] : [],
        }),
      ["safe"],
    ],
    ["is asked for again", (_answer, again) => again(), ["good"]],
  ];

  it.each(cases)("and that %s calls no tool, though results leave before it", async (...given) => {
    const [, other, titles] = given;
    const rig = reportingRig(guard(other));
    const messages = await rig.send("Read and report.");
    expect(idsShown(rig.model.requests[REPORT - 1])).toEqual([]);
    expect(aged(rig.events).length).toBeGreaterThan(0);
    expect(rig.given.map(({ title }) => title)).toEqual(titles);
    const calls = messages.flatMap((message) =>
      AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
    );
    expect(
      calls.filter(({ name }) => name === "send_report").map(({ args }) => args["title"]),
    ).toEqual(titles);
    // What left in that call stays away, and whole in the state.
    const shown = idsShown(rig.model.requests[REPORT]);
    const asked = rig.model.requests.length;
    await rig.send("More.");
    expect(shown).toHaveLength(5);
    expect(idsShown(rig.model.requests[asked])).toEqual(shown);
    expect(toolContents(messages).some((text) => String(text).startsWith("[aged"))).toBe(false);
  });
});
