import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import type { StructuredTool } from "@langchain/core/tools";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { describe, expect, it } from "vitest";

import {
  DEEP_AGENT_FILE_TOOLS,
  offloadBackend,
} from "../../../src/adapters/deepagents/deep-agents.js";
import { fileStore, memoryStore, offloadMiddleware } from "../../../src/index.js";
import { scriptedModel, type ScriptedTurn } from "../../../src/testing/scripted-model.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { calling, thread, toolNamed } from "../agents.js";
import { toolMessages } from "../large-outputs.js";
import { newDirectory } from "../../after-file.js";

const directory = newDirectory();

const rows = Array.from({ length: 4000 }, (_, id) => ({
  id,
  city: id === 3210 ? "Reykjavik" : "Rome",
  note: "As it was.",
}));
const listRows = toolNamed("list_rows", () => JSON.stringify(rows)) as unknown as StructuredTool;
const callListRows: ScriptedTurn = calling("list_rows");
const selection = { exclude: DEEP_AGENT_FILE_TOOLS };
const opened = openedOffloaders();

const pathIn = (messages: readonly BaseMessage[]): string =>
  (JSON.parse(toolMessages(messages)[0]?.text ?? "") as { file_path: string }).file_path;
const nameIn = (messages: readonly BaseMessage[]): string =>
  pathIn(messages).split(/[/\\]/).at(-1) ?? "";

const run = async (turns: readonly ScriptedTurn[]) => {
  const { offloader } = opened({ store: fileStore({ directory }), ...selection });
  const agent = createDeepAgent({
    model: scriptedModel(turns),
    tools: [listRows],
    middleware: [offloadMiddleware({ offloader })],
    backend: new CompositeBackend(new StateBackend(), { "/offloads/": offloadBackend(offloader) }),
  });
  return await agent.invoke({ messages: [new HumanMessage("go")] }, thread("t"));
};

/** As a backend is called: with the thread of the run around it. */
const within = <Answer>(ask: () => Answer): Promise<Awaited<Answer>> =>
  RunnableLambda.from(ask as () => Awaited<Answer>).invoke("", thread("t"));

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
  const read: typeof store.read = (reference, range) =>
    gone.has(reference.id) ? Promise.reject(new Error("disk")) : store.read(reference, range);
  const { offloader } = opened({ store: { ...store, read }, ...selection });
  const backend = offloadBackend(offloader);
  for (const line of ["Reykjavik 1\n", "Rome\n", "Reykjavik 2\n"]) {
    const { storedArtifact } = await offloader.put(line.repeat(9000), { sessionId: "t" });
    if (line.endsWith("1\n")) gone.add(storedArtifact.id);
  }
  expect(await within(() => backend.glob("**", "/elsewhere"))).toEqual({ files: [] });
  expect(await within(() => backend.grep("Rome", "/", "!(*.md)"))).toHaveProperty("error");
  const search = (text: string) => within(() => backend.grep(text, "/"));
  expect(await search("Reyk")).toMatchObject({ matches: { length: 1000 }, truncated: true });
  expect(await search("Oslo")).toHaveProperty("error");
  expect(await search("x".repeat(1001))).toHaveProperty("error");
});

it("a file tool's reading prolongs a life as a drill-in does, and a store that fails is told", async () => {
  let nowMs = 1_800_000_000_000;
  const now = (): number => nowMs;
  const store = memoryStore({ now });
  const retention = { ttlMs: 3_600_000, refreshOnRead: true };
  let isDown = false;
  const list: typeof store.list = (...args) =>
    isDown ? Promise.reject(new Error("down")) : store.list(...args);
  const { offloader } = opened({ store: { ...store, list }, now, retention, ...selection });
  const backend = offloadBackend(offloader);
  const { storedArtifact } = await offloader.put("line\n".repeat(9000), { sessionId: "t" });
  for (const minutes of [40, 40, 40]) {
    nowMs += minutes * 60_000;
    expect(await within(() => backend.read(storedArtifact.fileName))).toHaveProperty("content");
  }
  isDown = true;
  expect(await within(() => backend.ls("/"))).toHaveProperty("error");
  expect(await within(() => backend.glob("**"))).toHaveProperty("error");
});

it("what read_file shows is counted, and what it could not show is not", async () => {
  const { offloader, events } = opened(selection);
  const backend = offloadBackend(offloader);
  const given = await offloader.put(rows, { toolName: "t", sessionId: "t" });
  const { id: artifactId, sessionKey, fileName } = given.storedArtifact;
  for (const path of [`/${fileName}`, "/none.jsonl"]) await within(() => backend.read(path, 0, 5));
  expect(events.filter(({ type }) => type === "drilled-in")).toMatchObject([
    { tool: "read_file", artifactId, sessionKey, failed: false },
  ]);
  expect(offloader.stats("t")).toMatchObject({ drillIns: 1, fetchedTokens: expect.any(Number) });
});
