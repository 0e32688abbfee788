import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";

import { references } from "../../../src/adapters/langchain/references/references.js";
import { referring } from "../../referring.js";
import { memoryStore, type OffloadEvent, type OffloadOptions } from "../../../src/index.js";
import { agentOf, calling, toolNamed } from "../agents.js";

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
  { option: "perTool", toolName: "sent_report", nearest: ["send_report"] },
  {
    option: "exclude",
    toolName: "get_contrct",
    nearest: ["get_contract"],
  },
  { option: "perTool", toolName: "xyzzy", nearest: [] },
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
