import { createHash } from "node:crypto";

import { ToolMessage } from "@langchain/core/messages";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";

import { aging } from "../../../src/adapters/langchain/aging/index.js";
import { offloadFrom } from "../../../src/adapters/langchain/offload-from.js";
import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import { withOffload } from "../../../src/adapters/langchain/with-offload.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { mcpagent } from "../../../src/presets/mcpagent/mcpagent.js";
import { fieldOf } from "../../../src/util/field-of.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";

const rows = Array.from({ length: 300 }, (_, id) => ({
  id,
  name: `user ${id}`,
  city: ["Bern", "Chur"][id % 2],
  amount: id * 1.5,
  state: ["open", "closed", "late"][id % 3],
}));
const NOTE = `\nNot delivered: ${Array.from({ length: 60 }, (_, id) => `order #${9000 + id}`).join(", ")}`;
const words = "word ".repeat(1_500);

function named(name: string, run: (config: unknown) => unknown, more: object = {}) {
  const fields = { name, description: name, schema: z.object({}), ...more };
  return tool(async (_, config) => await run(config), fields as never);
}

const call = (name: string, args: Record<string, unknown> = {}): ScriptedTurn => ({
  toolCalls: [{ name, args }],
});
const fillers: ScriptedTurn[] = Array.from({ length: 9 }, () => call("filler"));
const filler = named("filler", () => words);

/** A turn that reads what a text of the conversation names. */
function reads(name: string, args: object, of = /"file_path":"([^"]+)"/): ScriptedTurn {
  return (messages) => {
    const id = of.exec(messages.map(({ text }) => text).join("\n"))?.[1] ?? "none";
    return { toolCalls: [{ id: `${name}_${messages.length}`, name, args: { id, ...args } }] };
  };
}

async function run(
  turns: readonly ScriptedTurn[],
  tools: readonly object[],
  options: OffloadOptions,
  others: readonly object[] = [],
) {
  const offloader = createOffloader({ store: memoryStore(), ...options });
  onTestFinished(() => offloader.close());
  const model = scriptedModel([...turns, "Done."]);
  const wrap = (one: object): object => (typeof one === "function" ? one(offloader) : one);
  const agent = createAgent({
    model,
    tools: tools.map(wrap) as DynamicStructuredTool[],
    middleware: [...others, offloadMiddleware({ offloader })] as AgentMiddleware[],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "one" }, recursionLimit: 99 };
  const { messages } = await agent.invoke({ messages: "Go." }, config);
  return { messages, model, answers: messages.filter((one) => ToolMessage.isInstance(one)) };
}

const AGED = /read_tool_output\("(\w{26})"\)/;
const ages = (mode: "mark" | "replace") =>
  aging({ trigger: { tokens: 1_000 }, keep: { results: 1 }, mode });

describe.each(["mark", "replace"] as const)("a result that ages by %s", (mode) => {
  it("comes back with what the tool wrote beside a descriptor", async () => {
    const report = named("report", async (config) => (await offloadFrom(config)(rows)) + NOTE);
    const turns = [call("report"), ...fillers, reads("read_tool_output", {}, AGED)];
    const { answers } = await run(turns, [report, filler], { plugins: [ages(mode)] });
    expect(answers.at(-1)?.text).toContain("#9059");
  });

  it("comes back with what another middleware adds to a descriptor", async () => {
    const adds = createMiddleware({
      name: "Adds",
      async wrapToolCall(request, handler) {
        const message = await handler(request);
        if (!ToolMessage.isInstance(message) || message.name !== "list") return message;
        const { artifact, tool_call_id, name } = message;
        const content = `${message.text}\n[policy: internal]`;
        return new ToolMessage({ content, artifact, tool_call_id, name });
      },
    });
    const turns = [call("list"), ...fillers, reads("read_tool_output", {}, AGED)];
    const tools = [named("list", () => rows), filler];
    const { answers } = await run(turns, tools, { plugins: [ages(mode)] }, [adds]);
    expect(answers.at(-1)?.text).toContain("[policy: internal]");
  });

  it("can be read back after an hour if it is the answer of a drill-in", async () => {
    let nowMs = 1_800_000_000_000;
    const list = named("list", () =>
      Array.from({ length: 400 }, (_, id) => ({ id, name: `user ${id}` })),
    );
    const asks = Array.from({ length: 12 }, (_, page) =>
      reads("jq_tool_output", { filter: `select(.id >= ${page})` }),
    );
    const late: ScriptedTurn = (messages, ...rest) => {
      nowMs += 7_200_000;
      const aged = messages.findLast(({ text }) => text.startsWith("[aged: jq_tool_output"));
      const turn = reads("read_tool_output", {}, AGED);
      return typeof turn === "function" ? turn([aged ?? messages[0]] as never, ...rest) : turn;
    };
    const options = { store: memoryStore({ now: () => nowMs }), now: () => nowMs };
    const turns = [call("list"), ...asks, late];
    const { answers } = await run(turns, [list], { ...options, plugins: [ages(mode)] });
    expect(answers.at(-1)?.text).toMatch(/^The whole output.*\n\{"id":\d+,"name":"user/);
  });

  it("names the output where a preset has described it", async () => {
    const turns = [call("list"), ...fillers];
    const tools = [
      named("list", () => Array.from({ length: 3_000 }, (_, id) => `line ${id}`).join("\n")),
      filler,
    ];
    const options = { preset: mcpagent(), plugins: [ages(mode)] };
    const { model, messages } = await run(turns, tools, options);
    const list = messages.find(({ name }) => name === "list");
    const id = String(fieldOf(fieldOf(list, "artifact"), "id"));
    expect(
      model.requests
        .at(-1)
        ?.map(({ text }) => text)
        .find((text) => text.startsWith("[aged")),
    ).toContain(id);
  });
});

describe("redaction", () => {
  const hash = (user: string): string =>
    createHash("sha256").update(user).digest("hex").slice(0, 8);
  const pseudonyms = redact((text) =>
    text.replaceAll(/(\w+)@[\w.]+/g, (_, user: string) => `${hash(user)}@hidden.example`),
  );
  const once = `${hash("ann")}@hidden.example`;
  const mails = Array.from({ length: 300 }, (_, id) => ({ id, from: "ann@corp.com" }));

  it("changes a descriptor inside of other text no second time", async () => {
    const keys = redact((text) => text.replaceAll(/\b[A-Za-z0-9]{24,}\b/g, "[KEY]"));
    const report = named(
      "report",
      async (config) => `300 orders.\n${await offloadFrom(config)(rows)}`,
    );
    const turns = [call("report"), reads("jq_tool_output", { filter: "length", slurp: true })];
    const { answers } = await run(turns, [report], { plugins: [keys] });
    expect(answers[1]?.text).toMatch(/^300\b/);
    const told = named("report", async (config) => `Mails: ${await offloadFrom(config)(mails)}`);
    expect(
      (await run([call("report")], [told], { plugins: [pseudonyms] })).answers[0]?.text,
    ).toContain(once);
  });

  it.each(["mark", "replace"] as const)(
    "changes an aged result no second time, by %s",
    async (mode) => {
      const list = named("list", () => "From ann@corp.com: hello. ".repeat(250));
      const turns = [call("list"), ...fillers, reads("read_tool_output", {}, AGED)];
      const { answers } = await run(turns, [list, filler], { plugins: [pseudonyms, ages(mode)] });
      expect(answers.at(-1)?.text).toContain(once);
    },
  );

  it("changes the small output of a wrapped tool no second time", async () => {
    const small = named("small", () => "From ann@corp.com");
    const wrapped = (offloader: ReturnType<typeof createOffloader>) =>
      withOffload(small, { offloader });
    const { answers } = await run([call("small")], [wrapped], { plugins: [pseudonyms] });
    expect(answers[0]?.text).toBe(`From ${once}`);
  });
});

describe("what a tool stored by itself can be read", () => {
  it.each([
    [
      "has an artifact of its own",
      { responseFormat: "content_and_artifact" },
      (text: string) => [text, { chart: 1 }],
    ],
    [
      "reports an error",
      {},
      (content: string) => new ToolMessage({ content, status: "error", tool_call_id: "call_0_0" }),
    ],
  ])("where the tool %s, also without a thread id", async (_, fields, result) => {
    const offloader = createOffloader({ store: memoryStore() });
    onTestFinished(() => offloader.close());
    const report = named(
      "report",
      async (config) => result(`300: ${await offloadFrom(config)(rows)}`),
      fields,
    );
    const asks = reads("jq_tool_output", { filter: "length", slurp: true });
    // A turn is chosen by the answers that the conversation has.
    const agent = createAgent({
      model: scriptedModel([call("report"), "Stored.", asks, "Done."]),
      tools: [report] as never,
      middleware: [offloadMiddleware({ offloader })],
    });
    const first = await agent.invoke({ messages: "Go." });
    const { messages } = await agent.invoke({ messages: [...first.messages, "Count."] as never });
    expect(messages.at(-2)?.text).toMatch(/^300\b/);
  });
});
