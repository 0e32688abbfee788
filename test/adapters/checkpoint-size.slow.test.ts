import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { beforeAll, describe, expect, it } from "vitest";

import { humanMessages } from "../../src/adapters/langchain/human-messages/index.js";
import { references } from "../../src/adapters/langchain/references/index.js";
import { fileStore, offloadFrom } from "../../src/index.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { sharedOffloader } from "../opened-offloaders.js";
import { artifactsOf } from "./large-outputs.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { newDirectory } from "../after-file.js";

const MAX_MESSAGE_BYTES = 8_192;
const LARGE_BYTES = 50_000_000;
/** Stands in the middle of every large payload, where no beginning or end shows it. */
const MARK = "the-payload-itself";

const offloader = sharedOffloader({
  store: fileStore({ directory: newDirectory() }),
  plugins: [humanMessages({ threshold: { tokens: 2000 } }), references()],
});
let large = "";
beforeAll(() => {
  const record = (id: number): string => `{"id":${id},"note":"${MARK} ${"x".repeat(400)} ${id}"}`;
  const perRecord = record(100_000).length + 1;
  const count = Math.ceil(LARGE_BYTES / perRecord);
  large = `[${Array.from({ length: count }, (_, index) => record(100_000 + index)).join(",")}]`;
});

/** A checkpointer, and all the bytes that it keeps. */
function newSaver(): { readonly checkpointer: BaseCheckpointSaver; bytes(): Buffer } {
  const own = newDirectory();
  const checkpointer = SqliteSaver.fromConnString(join(own, "checkpoints"));
  // A database has a log beside it.
  const bytes = (): Buffer =>
    Buffer.concat(readdirSync(own).map((name) => readFileSync(join(own, name))));
  return { checkpointer, bytes };
}

const readPart: ScriptedTurn = (messages) => {
  const id = artifactsOf(messages)[0]?.id;
  return calling("read_tool_output", { id, start_record: 1, end_record: 3 });
};

async function run(
  given: readonly BaseMessage[],
  checkpointer: BaseCheckpointSaver,
  config: object = {},
): Promise<{ sizes: number[]; messages: BaseMessage[] }> {
  const both = ["export_rows", "export_by_hand"].map((name) => ({ name, args: {} }));
  const byHand = toolNamed(
    "export_by_hand",
    async (_, running) => `Rows: ${await offloadFrom(running)(large, { title: "Rows" })}`,
  );
  const tools = [toolNamed("export_rows", () => large), byHand];
  const agent = agentOf([{ toolCalls: both }, readPart], tools, { offloader }, { checkpointer });
  const place = { configurable: { thread_id: "t" }, ...config };
  const { messages } = await agent.invoke({ messages: [...given] }, place);
  const sizes: number[] = [];
  const last = await checkpointer.getTuple({ configurable: { thread_id: "t", checkpoint_ns: "" } });
  const kept = last?.checkpoint.channel_values["messages"] as BaseMessage[];
  for (const message of kept) {
    const [, bytes] = await checkpointer.serde.dumpsTyped(message);
    sizes.push(bytes.length);
  }
  return { sizes, messages };
}

describe("checkpoints in SQLite", () => {
  it("of a run with outputs of 50 MB have under 8 KB a message, and nothing of the data", async () => {
    const { checkpointer, bytes } = newSaver();
    const { sizes, messages } = await run([new HumanMessage("Export the rows.")], checkpointer);
    expect(large.length).toBeGreaterThan(LARGE_BYTES);
    expect(messages).toHaveLength(7);
    expect(messages[5]?.text).toContain(MARK);
    expect(sizes).toHaveLength(7);
    expect(Math.max(...sizes)).toBeLessThan(MAX_MESSAGE_BYTES);
    // The whole of all checkpoints: each step writes the messages down again.
    expect(bytes().length).toBeLessThan(20 * 7 * MAX_MESSAGE_BYTES);
    expect(artifactsOf(messages)[0]).toMatchObject({ sizeBytes: expect.closeTo(large.length, -6) });
  }, 120_000);

  it("of a run with a user's message of 2 MB keep it as the run's input only", async () => {
    const lines = `${MARK} ${"line of a report ".repeat(5)}\n`.repeat(20_000);
    const text = `Sum this up.\n${lines}Thank you.`;
    const perStep = newSaver();
    const { sizes } = await run([new HumanMessage(text)], perStep.checkpointer);
    expect(Math.max(...sizes)).toBeLessThan(MAX_MESSAGE_BYTES);
    // LangGraph writes the input down before any node runs; written at the end only, it is nowhere.
    expect(perStep.bytes().length).toBeGreaterThan(text.length);
    const atExit = newSaver();
    await run([new HumanMessage(text)], atExit.checkpointer, { durability: "exit" });
    expect(atExit.bytes().length).toBeLessThan(20 * 7 * MAX_MESSAGE_BYTES);
    expect(atExit.bytes().length).toBeLessThan(text.length / 2);
  }, 120_000);
});
