import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { afterAll, describe, expect, it } from "vitest";

import {
  DEEP_AGENT_FILE_TOOLS,
  offloadBackend,
} from "../../../src/adapters/deepagents/deep-agents.js";
import {
  createOffloader,
  fileStore,
  memoryStore,
  type Offloader,
  offloadMiddleware,
} from "../../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { calling, toolNamed } from "../agents.js";

const directory = mkdtempSync(join(tmpdir(), "offload-deep-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const rows = Array.from({ length: 4000 }, (_, id) => ({
  id,
  city: id === 3210 ? "Reykjavik" : "Rome",
  note: "As it was.",
}));
const listRows = toolNamed("list_rows", () => JSON.stringify(rows)) as unknown as StructuredTool;
const callListRows: ScriptedTurn = calling("list_rows");
const selection = { exclude: DEEP_AGENT_FILE_TOOLS };
const ask = { messages: [new HumanMessage("go")] };

const toolMessages = (messages: readonly BaseMessage[]): ToolMessage[] =>
  messages.filter((message): message is ToolMessage => ToolMessage.isInstance(message));
const pathIn = (messages: readonly BaseMessage[]): string =>
  (JSON.parse(toolMessages(messages)[0]?.text ?? "") as { file_path: string }).file_path;
const nameIn = (messages: readonly BaseMessage[]): string =>
  pathIn(messages).split(/[/\\]/).at(-1) ?? "";

const deepAgent = (
  offloader: Offloader,
  turns: readonly ScriptedTurn[],
  mount = "/offloads/",
): ReturnType<typeof createDeepAgent> =>
  createDeepAgent({
    model: scriptedModel(turns),
    tools: [listRows],
    middleware: [offloadMiddleware({ offloader })],
    backend: new CompositeBackend(new StateBackend(), { [mount]: offloadBackend(offloader) }),
  });

const run = async (
  turns: readonly ScriptedTurn[],
  { mount = "/offloads/", thread = "t" }: { mount?: string; thread?: string | undefined } = {},
): Promise<{ messages: BaseMessage[]; files?: object }> => {
  const offloader = createOffloader({ store: fileStore({ directory }), ...selection });
  try {
    const agent = deepAgent(offloader, turns, mount);
    return await agent.invoke(ask, {
      configurable: thread === "" ? {} : { thread_id: thread },
    });
  } finally {
    await offloader.close();
  }
};

describe("a deep agent with the offload middleware", () => {
  it("offloads once, by the middleware, and reads by its tools", async () => {
    const { messages, files } = await run([
      callListRows,
      (seen) =>
        calling("jq_tool_output", {
          id: pathIn(seen),
          filter: 'select(.city == "Reykjavik") | .id',
        }),
    ]);
    const [descriptor, answer] = toolMessages(messages);
    expect(JSON.parse(descriptor?.text ?? "")).toMatchObject({ offloaded: true });
    expect(descriptor?.text).not.toContain("large_tool_results");
    expect(Object.keys(files ?? {})).toEqual([]);
    expect(answer?.text).toContain("3210");
  });

  it("reads stored outputs by the agent's own file tools where they are mounted", async () => {
    const { messages } = await run([
      callListRows,
      (seen) => ({
        toolCalls: [
          { name: "ls", args: { path: "/offloads/" } },
          {
            name: "read_file",
            args: { file_path: `/offloads/${nameIn(seen)}`, offset: 1, limit: 2 },
          },
          { name: "grep", args: { pattern: "Reykjavik" } },
          { name: "glob", args: { pattern: "**/*.jsonl" } },
          { name: "write_file", args: { file_path: `/offloads/${nameIn(seen)}`, content: "x" } },
          { name: "read_file", args: { file_path: "/offloads/none.jsonl" } },
        ],
      }),
    ]);
    const name = nameIn(messages);
    const [, ls, read, grep, glob, write, missing] = toolMessages(messages).map(({ text }) => text);
    expect(ls).toContain(`/offloads/${name}`);
    expect(read).toContain('{"id":0,"city":"Rome","note":"As it was."}');
    expect(read).not.toContain('"id":2,');
    expect(grep).toContain(`/offloads/${name}`);
    expect(grep).toContain('{"id":3210,"city":"Reykjavik","note":"As it was."}');
    expect(glob).toContain(`/offloads/${name}`);
    expect(write).toContain("read-only");
    expect(missing).toContain("No stored output has this id or name");
  });
});

it("a search over all files of a thread gives what it found when one output cannot be read, and says that it is not all", async () => {
  const store = memoryStore();
  const gone = new Set<string>();
  const offloader = createOffloader({
    store: {
      ...store,
      read: (reference, range) =>
        gone.has(reference.id) ? Promise.reject(new Error("disk")) : store.read(reference, range),
    },
    ...selection,
  });
  const backend = offloadBackend(offloader);
  const configurable = { thread_id: "t" };
  const outcomes = await Promise.all(
    ["Reykjavik 1\n", "Rome\n", "Reykjavik 2\n"].map((line) =>
      offloader.offload({ toolName: "t", value: line.repeat(9000), sessionId: "t" }),
    ),
  );
  const [first] = outcomes;
  if (first?.outcome !== "offloaded") throw new Error("Nothing was stored.");
  gone.add(first.storedArtifact.id);
  const search = (text: string): ReturnType<typeof backend.grep> =>
    RunnableLambda.from(() => backend.grep(text, "/")).invoke("", { configurable });
  expect(await search("Reyk")).toMatchObject({ matches: { length: 1000 }, truncated: true });
  expect(await search("Oslo")).toHaveProperty("error");
  expect(await search("x".repeat(1001))).toHaveProperty("error");
  await offloader.close();
});

it("a file tool's reading prolongs a life as a drill-in does, and a store that fails is told", async () => {
  let nowMs = 1_800_000_000_000;
  const now = (): number => nowMs;
  const store = memoryStore({ now });
  const retention = { ttlMs: 3_600_000, refreshOnRead: true };
  const isDown = { now: false };
  const list: typeof store.list = (...args) =>
    isDown.now ? Promise.reject(new Error("down")) : store.list(...args);
  const offloader = createOffloader({ store: { ...store, list }, now, retention, ...selection });
  const backend = offloadBackend(offloader);
  const within = <Answer>(ask: () => Promise<Answer>): Promise<Answer> =>
    RunnableLambda.from(ask).invoke("", { configurable: { thread_id: "t" } });
  const { storedArtifact } = await offloader.put("line\n".repeat(9000), { sessionId: "t" });
  for (const minutes of [40, 40, 40]) {
    nowMs += minutes * 60_000;
    expect(await within(() => backend.read(storedArtifact.fileName))).toHaveProperty("content");
  }
  isDown.now = true;
  expect(await within(() => backend.ls("/"))).toHaveProperty("error");
  expect(await within(() => backend.glob("**"))).toHaveProperty("error");
  await offloader.close();
});

it("what read_file shows is counted, and what it could not show is not", async () => {
  const told: unknown[] = [];
  const offloader = createOffloader({
    store: memoryStore(),
    onEvent: ({ type, ...event }) => type === "drilled-in" && told.push(event),
    ...selection,
  });
  const backend = offloadBackend(offloader);
  const given = await offloader.put(rows, { toolName: "t", sessionId: "t" });
  const { id: artifactId, sessionKey, fileName } = given.storedArtifact;
  for (const path of [`/${fileName}`, "/none.jsonl"])
    await RunnableLambda.from(() => backend.read(path, 0, 5)).invoke("", {
      configurable: { thread_id: "t" },
    });
  expect(told).toMatchObject([{ tool: "read_file", artifactId, sessionKey, failed: false }]);
  expect(offloader.stats("t")).toMatchObject({ drillIns: 1, fetchedTokens: expect.any(Number) });
  await offloader.close();
});
