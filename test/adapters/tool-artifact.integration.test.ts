import { AIMessage, type ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";

import { memoryStore, type OffloadEvent, offloadToolNode, withOffload } from "../../src/index.js";
import { agentOf, calling, toolNamed } from "./agents.js";
import { rows, toolMessages } from "./large-outputs.js";
import { redact } from "../../src/plugins/redact/redact.js";
import { sharedOffloader } from "../opened-offloaders.js";

const events: OffloadEvent[] = [];
const offloader = sharedOffloader({ onEvent: (event) => void events.push(event) });

const CITATIONS = { citations: ["a.md", "b.md"], took: { ms: 12 } };

const searching = (artifact: unknown, content: unknown = JSON.stringify(rows)) =>
  toolNamed("search", () => [content, artifact], undefined, {
    responseFormat: "content_and_artifact",
  });
type Search = ReturnType<typeof searching>;
const SEARCH = { name: "search", args: {}, id: "1", type: "tool_call" } as const;

const DOORS = {
  async "the middleware"(search: Search) {
    const agent = agentOf([calling("search"), "Done."], [search], { offloader });
    return toolMessages((await agent.invoke({ messages: "Go." })).messages)[0];
  },
  async "a tool node"(search: Search) {
    const node = offloadToolNode([search], { offloader });
    const asking = new AIMessage({ content: "", tool_calls: [SEARCH] });
    const { messages } = await node.invoke({ messages: [asking] });
    return (messages as ToolMessage[]).at(-1);
  },
  async "a wrapped tool"(search: Search): Promise<ToolMessage | undefined> {
    return await withOffload(search, { offloader, trace: "descriptor" }).invoke(SEARCH);
  },
};

describe.each(Object.entries(DOORS))("the artifact that a tool gave, through %s", (_name, call) => {
  it("is in no checkpoint where it may be a copy of the output", async () => {
    const message = await call(searching(rows));
    expect(message?.artifact).toMatchObject({ toolName: "search", recordCount: rows.length });
    expect(message?.artifact).not.toHaveProperty("toolArtifact");
  });

  it("R11: is told to be gone, in the message and by an event, where it was too large to stay", async () => {
    events.length = 0;
    const message = await call(searching({ log: "x".repeat(5_000) }));
    expect(message?.artifact.toolArtifactLeftOut).toBe(true);
    const told = events.filter(({ type }) => type === "artifact-left-out");
    expect(told).toMatchObject([{ toolName: "search", artifactId: message?.artifact.id }]);
  });

  it("is not where all of it is part of what was stored", async () => {
    events.length = 0;
    const text = rows.map((row) => JSON.stringify(row)).join("\n");
    const resource = { type: "resource", resource: { uri: "file:///rows", text } };
    const message = await call(searching([resource], "One resource."));
    expect(message?.artifact.sizeBytes).toBeGreaterThan(text.length);
    expect(events.map(({ type }) => type)).not.toContain("artifact-left-out");
  });
});

it("redact sees what stays of a tool's artifact, and adds nothing of it to what is not stored", async () => {
  const plugins = [redact((text) => text.replaceAll("a.md", "***"))];
  const wrapped = withOffload(searching(CITATIONS), { store: memoryStore(), plugins });
  const message: ToolMessage = await wrapped.invoke(SEARCH);
  expect(message.artifact.toolArtifact).toEqual({ ...CITATIONS, citations: ["***", "b.md"] });
  const more = searching([{ type: "resource", resource: { text: "b".repeat(40_000) } }], "a.md");
  for (const given of [{ enabled: false }, { mode: "truncate" }] as const)
    expect((await withOffload(more, { plugins, ...given }).invoke(SEARCH)).content).toBe("***");
});
