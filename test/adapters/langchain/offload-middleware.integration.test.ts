import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { jsonSchemaOf } from "../../../src/adapters/langchain/references/reference-rules.js";
import { references } from "../../../src/adapters/langchain/references/references.js";
import { createMeasure } from "../../../src/core/measure/measure.js";
import {
  createDrillInTools,
  memoryStore,
  type ObservedOutput,
  offloadCallbackHandler,
  type OffloadEvent,
  type OffloadOptions,
} from "../../../src/index.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { referring } from "../../referring.js";
import { agentOf, calling, thread, toolNamed } from "../agents.js";
import { question, rowsTool } from "../large-outputs.js";

const opened = openedOffloaders();
const getContract = toolNamed("get_contract", () => "all of it");
const sendReport = toolNamed(
  "send_report",
  () => "sent",
  z.object({ rows: z.array(z.unknown()), title: z.string() }),
);
const anything = toolNamed("anything", () => "done", z.looseObject({ at: z.unknown() }));
const tools = [getContract, sendReport, anything];

const warnings: string[] = [];
const listener = ({ name, message }: Error): void => {
  if (name === "OffloadConfigWarning") warnings.push(message);
};
process.on("warning", listener);
afterAll(() => {
  process.off("warning", listener);
});

const misspelt: OffloadOptions = {
  plugins: [references({ auto: false })],
  exclude: ["get_contrct", "read_tool_output"],
  perTool: {
    xyzzy: { enabled: false },
    user_message: {},
    put: {},
    sent_report: { plugins: { references: true } },
  },
};
const told = [
  { option: "perTool", toolName: "sent_report" },
  { option: "exclude", toolName: "get_contrct" },
  { option: "perTool", toolName: "xyzzy" },
].map((unknown) => ({ type: "unknown-tool", ...unknown }));

/** What an agent of these options hears in two runs. */
async function heardBy(options: OffloadOptions): Promise<OffloadEvent[]> {
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): unknown => events.push(event);
  const given = { store: memoryStore(), onEvent, ...options };
  const agent = agentOf([calling("get_contract"), "Read."], tools, given);
  for (const messages of ["?", "And?"]) await agent.invoke({ messages });
  return events.filter(({ type }) => type === "unknown-tool");
}

describe("an option that names a tool which is not there", () => {
  it("is told once, at the first call of the model", async () => {
    const heard = await heardBy(misspelt);
    expect(heard).toHaveLength(told.length);
    expect(heard).toEqual(expect.arrayContaining(told));
    await new Promise(setImmediate);
    expect(warnings).toEqual(
      expect.arrayContaining([
        'exclude names "get_contrct", but no tool of this call has that name. If another middleware adds or leaves out tools, that may be right.',
        'perTool names "xyzzy", but no tool of this call has that name. If another middleware adds or leaves out tools, that may be right.',
      ]),
    );
    const count = warnings.filter((warning) => warning.includes("xyzzy")).length;
    expect(count).toBe(1);
  });

  it("is not told of a shared offloader, whose options may name another agent's tools", async () => {
    const { offloader, events } = opened({ exclude: ["get_contrct"] });
    for (const messages of ["?", "And?"])
      await agentOf(["Read."], tools, { offloader }).invoke({ messages });
    expect(events.filter(({ type }) => type === "unknown-tool")).toEqual([]);
  });

  it("is not looked for in rules, in `true` and in what is right", async () => {
    expect(
      await heardBy({ ...referring("auto"), include: ({ toolName }) => toolName !== "x" }),
    ).toEqual([]);
    const right: OffloadOptions = {
      ...referring({ send_report: ["rows", "title"], anything: ["else"] }),
      include: ["get_contract"],
    };
    expect(await heardBy(right)).toEqual([]);
  });
});

it("the ledger of a conversation has the definitions of the drill-in tools once, close to what a tokenizer counts", async () => {
  const { offloader, events } = opened();
  const turns = [calling("list_rows"), calling("list_rows", { only: "Rome" })];
  await agentOf(turns, [rowsTool()], { offloader }).invoke(question, thread("one"));
  const { definitionTokens } = offloader.stats("one");
  const shown = events.filter(({ type }) => type === "tools-shown");
  expect(shown).toMatchObject([{ definitionTokens }]);
  const definitions = createDrillInTools(offloader).map(({ name, description, schema }) => {
    const parameters = jsonSchemaOf(schema);
    return JSON.stringify({ type: "function", function: { name, description, parameters } });
  });
  const measure = createMeasure();
  const counts = await Promise.all(definitions.map(async (text) => await measure.count(text)));
  const counted = counts.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(definitionTokens / counted).toBeGreaterThan(1);
  expect(definitionTokens / counted).toBeLessThan(1.2);
});

it("answers where a plugin's observer of model calls rejects, which ends no process", async () => {
  const onModelCall = async (): Promise<never> => {
    throw new Error("own fault");
  };
  const plugin = { name: "own", setup: () => ({ agent: () => ({ onModelCall }) }) };
  const agent = agentOf(["done"], [], { plugins: [plugin] });
  const { messages } = await agent.invoke(question, thread("observed"));
  expect(messages.at(-1)?.text).toBe("done");
});

const observedRows = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
const observed = (): { heard: ObservedOutput[]; onOutput: (output: ObservedOutput) => void } => {
  const heard: ObservedOutput[] = [];
  return { heard, onOutput: (output) => heard.push(output) };
};

it("the offload callback handler counts the tool messages of a command, not its JSON", async () => {
  const { heard, onOutput } = observed();
  const writes = toolNamed("writes", (_given, { toolCall }: { toolCall?: { id?: string } }) => {
    const message = new ToolMessage({ content: "pong", tool_call_id: toolCall?.id ?? "" });
    return new Command({ update: { report: observedRows, messages: [message] } });
  });
  const call = { type: "tool_call" as const, name: "writes", id: "w", args: {} };
  const callbacks = [offloadCallbackHandler({ onOutput })];
  await writes.invoke(call, { callbacks, toolCall: call });
  expect(heard).toMatchObject([{ toolName: "writes", toolCallId: "w", tokens: 1 }]);
});
