import { references } from "../../../src/adapters/langchain/references/references.js";
import { referring } from "../../referring.js";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { offloadMiddleware } from "../../../src/adapters/langchain/offload-middleware.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";

const getContract = tool(() => "all of it", {
  name: "get_contract",
  description: "A contract.",
  schema: z.object({}),
});
const sendReport = tool(() => "sent", {
  name: "send_report",
  description: "Sends.",
  schema: z.object({ rows: z.array(z.unknown()), title: z.string() }),
});
const anything = tool(() => "done", {
  name: "anything",
  description: "Takes anything.",
  schema: { type: "object", properties: { at: {} }, additionalProperties: true },
});
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
  { option: "perTool", toolName: "sent_report", nearest: ["send_report"] },
  {
    option: "exclude",
    toolName: "get_contrct",
    nearest: ["get_contract"],
  },
  { option: "perTool", toolName: "xyzzy", nearest: [] },
].map((unknown) => ({ type: "unknown-tool", ...unknown }));

/** What an agent of these options hears in two runs. */
async function heardBy(options: OffloadOptions, isShared = false): Promise<OffloadEvent[]> {
  const events: OffloadEvent[] = [];
  const onEvent = (event: OffloadEvent): void => {
    if (event.type === "unknown-tool") events.push(event);
  };
  const own = { store: memoryStore(), onEvent, ...options };
  const given = isShared ? { offloader: createOffloader(own) } : own;
  const model = scriptedModel([{ toolCalls: [{ name: "get_contract", args: {} }] }, "Read."]);
  const agent = createAgent({ model, tools, middleware: [offloadMiddleware(given)] });
  for (const question of ["?", "And?"]) {
    await agent.invoke({ messages: [new HumanMessage(question)] });
  }
  return events;
}

describe("an option that names a tool which is not there", () => {
  it("is told once, at the first call of the model, with the nearest name", async () => {
    const heard = await heardBy(misspelt);
    expect(heard).toHaveLength(told.length);
    expect(heard).toEqual(expect.arrayContaining(told));
    await new Promise(setImmediate);
    expect(warnings).toEqual(
      expect.arrayContaining([
        'exclude names "get_contrct", but this agent has no tool with that name. Did you mean "get_contract"?',
        'perTool names "xyzzy", but this agent has no tool with that name.',
      ]),
    );
    const count = warnings.filter((warning) => warning.includes("xyzzy")).length;
    expect(count).toBe(1);
  });

  it("is not looked for in rules, in metadata, in `true` and in what is right", async () => {
    expect(
      await heardBy({ ...referring("auto"), include: ({ toolName }) => toolName !== "x" }),
    ).toEqual([]);
    expect(await heardBy({ exclude: { metadata: { get_contrct: 1 } } })).toEqual([]);
    const right: OffloadOptions = {
      ...referring({ send_report: ["rows", "title"], anything: ["else"] }),
      include: ["get_contract"],
    };
    expect(await heardBy(right)).toEqual([]);
  });
});
