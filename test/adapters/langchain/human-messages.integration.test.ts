import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";

import { memoryStore, type OffloadOptions } from "../../../src/index.js";
import {
  humanMessages,
  type HumanMessagesOptions,
} from "../../../src/adapters/langchain/human-messages/index.js";
import { redact } from "../../../src/plugins/redact/redact.js";
import { type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { toolMessages } from "../large-outputs.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { agentOf, calling, thread } from "../agents.js";

const opened = openedOffloaders();
const LONG = { threshold: { tokens: 2000 } };
const LOG = Array.from(
  { length: 900 },
  (_, line) => `2026-01-10 request ${line} of ${line * 7919}`,
);
const long = `Here is last night's log. Find out why it died.\n${LOG.join("\n")}\nWhich request killed it?`;

interface Given extends OffloadOptions {
  readonly rules?: HumanMessagesOptions;
  readonly turns?: readonly ScriptedTurn[];
  readonly checkpointer?: MemorySaver;
}

function agentWith({ rules = LONG, turns = ["Looked."], checkpointer, ...options }: Given = {}) {
  const { offloader, events } = opened({ plugins: [humanMessages(rules)], ...options });
  const kept = agentOf(
    turns,
    [],
    { offloader },
    { checkpointer: checkpointer ?? new MemorySaver() },
  );
  const bare = agentOf(turns, [], { offloader });
  return {
    model: kept.model,
    bare,
    offloader,
    events,
    async send(messages: readonly (BaseMessage | string)[], id?: string, offload?: object) {
      const config = { configurable: { thread_id: id, offload } };
      const run = id === undefined ? bare.invoke({ messages }) : kept.invoke({ messages }, config);
      return (await run).messages;
    },
  };
}

/** The descriptor's line, and what is around it. */
function partsOf(message: BaseMessage | undefined): {
  head: string;
  tail: string;
  descriptor: Record<string, unknown>;
} {
  const lines = (message?.text ?? "").split("\n");
  const at = lines.findIndex((line) => line.startsWith('{"offloaded":true'));
  return {
    head: lines.slice(0, at).join("\n"),
    tail: lines.slice(at + 1).join("\n"),
    descriptor: JSON.parse(lines[at] ?? "null") as Record<string, unknown>,
  };
}

describe("a long message of the user", () => {
  it("is stored before a model sees it, and keeps its beginning and its end", async () => {
    const { model, send, offloader } = agentWith();
    const messages = await send([long], "t");
    const seen = model.requests[0]?.[0];
    expect(messages[0]?.text).toBe(seen?.text);
    const { head, tail, descriptor } = partsOf(seen);
    expect(head).toMatch(
      /^Here is last night's log\. Find out why it died\.\n2026-01-10 request 0 /,
    );
    expect(tail).toMatch(/request 899 of \d+\nWhich request killed it\?$/);
    expect(descriptor).toMatchObject({
      offloaded: true,
      summary: { operation: "user_message" },
      guidance: expect.stringMatching(/^This line stands in the user's message/),
    });
    expect(seen?.text.length).toBeLessThan(4000);
    expect(offloader.stats("t")).toMatchObject({ outputsOffloaded: 1 });
  });

  it("says how many bytes are left out, white space included", async () => {
    const text = `${"word\n\n".repeat(90)}${"\n".repeat(100_000)}${"word  \n".repeat(90)}`;
    const { send } = agentWith();
    const [message] = await send([text], "t");
    const { summary } = partsOf(message).descriptor;
    const around = message?.text.split(/\n\n\{"offloaded".*\}\n\n/) ?? [];
    const left = text.length - around.join("").length;
    expect(summary).toMatchObject({ omitted_bytes: left });
  });

  it("is read back whole by the model's tools", async () => {
    const grep: ScriptedTurn = (messages) => {
      const id = partsOf(messages[0]).descriptor["file_path"];
      return calling("grep_tool_output", { id, pattern: "request 450 " });
    };
    for (const thread of ["read", undefined]) {
      const { send } = agentWith({ turns: [grep] });
      const messages = await send([long], thread);
      expect(toolMessages(messages)[0]?.text).toContain(`request 450 of ${450 * 7919}`);
    }
  });

  it.each([
    ["at the threshold stays", 2000, false],
    ["above it leaves", 2001, true],
  ])("%s", async (_, tokens, leaves) => {
    const { model, send } = agentWith({ gates: [() => ({ tokens: 0 })] });
    const text = " token".repeat(tokens);
    // What a run sets wrongly changes nothing.
    await send([text], "t", { tokens: 5 });
    expect(model.requests[0]?.[0]?.text === text).toBe(!leaves);
  });

  it("stays as it was sent to the model, whatever comes later", async () => {
    const { model, send } = agentWith();
    await send([long], "t");
    const checkpointer = new MemorySaver();
    const before = agentWith({ checkpointer, rules: { threshold: { tokens: 90_000 } } });
    await before.send([long], "later");
    const after = agentWith({ rules: { threshold: { tokens: 4000 } }, checkpointer });
    await after.send(["And now?"], "later");
    expect(after.model.requests[0]?.[0]?.text).toBe(long);
    await send(["And now?"], "t");
    expect(model.requests[1]?.[0]?.text).toBe(model.requests[0]?.[0]?.text);
  });

  it("is redacted with the blocks beside its text, where it is stored", async () => {
    const plugins = [humanMessages(LONG), redact((text) => text.replaceAll("4711", "[gone]"))];
    const { send } = agentWith({ plugins });
    const metadata = { filename: "4711.pdf" };
    const file = { type: "file", data: "AAAA", mimeType: "application/pdf", metadata };
    const content = [{ type: "text", text: `4711 ${long}` }, file];
    const [message] = await send([new HumanMessage({ content })], "t");
    expect(message?.content).toEqual([
      { type: "text", text: expect.stringMatching(/^\[gone\] /) },
      { ...file, metadata: { filename: "[gone].pdf" } },
    ]);
  });

  it("is the same artifact when an application sends the conversation anew", async () => {
    const { model, send, bare } = agentWith();
    await send([long], "first");
    const history = [new HumanMessage(long), new AIMessage("Looked."), new HumanMessage("And?")];
    await bare.invoke({ messages: history }, thread("first"));
    expect(bare.model.requests[0]?.[0]?.text).toBe(model.requests[0]?.[0]?.text);
  });

  it("stays as it is when it cannot be stored, when offloading is off, and when it is a summary", async () => {
    const store = { ...memoryStore(), put: async () => Promise.reject(new Error("disk full")) };
    const failing = agentWith({ store });
    expect((await failing.send([long], "t"))[0]?.text).toBe(long);
    const failures = failing.events.filter(({ type }) => type !== "tools-shown");
    expect(failures).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
    expect((await agentWith({ enabled: false }).send([long], "t"))[0]?.text).toBe(long);

    const { send } = agentWith();
    const additional_kwargs = { lc_source: "summarization" };
    const summary = new HumanMessage({ content: long, additional_kwargs });
    expect((await send([summary], "t"))[0]?.text).toBe(long);
  });

  it("leaves every other message alone", async () => {
    const { model, send } = agentWith();
    const others = [new SystemMessage(long), new AIMessage(long), new HumanMessage("Go on.")];
    await send(others, "t");
    expect(model.requests[0]?.map(({ text }) => text)).toEqual([long, long, "Go on."]);
  });
});
