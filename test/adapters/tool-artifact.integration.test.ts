import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import fc from "fast-check";
import { createAgent } from "langchain";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { offloadMiddleware } from "../../src/adapters/langchain/offload-middleware.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { isPlain } from "../../src/core/content/value/any-json.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import type { OffloadEvent } from "../../src/core/types/events.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { rows } from "./large-outputs.js";
import { redact } from "../../src/plugins/redact/redact.js";

const events: OffloadEvent[] = [];
const offloader = createOffloader({
  store: memoryStore(),
  onEvent: (event) => void events.push(event),
});
afterAll(async () => {
  await offloader.close();
});

const CITATIONS = { citations: ["a.md", "b.md"], took: { ms: 12 } };

function searching(artifact: unknown, content: unknown = JSON.stringify(rows)) {
  return tool(async () => [content, artifact], {
    name: "search",
    description: "Searches.",
    schema: z.object({}),
    responseFormat: "content_and_artifact",
  });
}

type Search = ReturnType<typeof searching>;

const DOORS = {
  async "the middleware"(search: Search) {
    const model = scriptedModel([{ toolCalls: [{ name: "search", args: {} }] }, "Done."]);
    const middleware = [offloadMiddleware({ offloader })];
    const agent = createAgent({ model, tools: [search], middleware });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Go.")] });
    return messages.find((message) => ToolMessage.isInstance(message));
  },
  async "a tool node"(search: Search) {
    const calls = [{ name: "search", args: {}, id: "1", type: "tool_call" as const }];
    const node = offloadToolNode([search], { offloader });
    const asking = new AIMessage({ content: "", tool_calls: calls });
    const { messages } = await node.invoke({ messages: [asking] });
    return (messages as ToolMessage[]).at(-1);
  },
  async "a wrapped tool"(search: Search) {
    const wrapped = withOffload(search, { offloader, trace: "descriptor" });
    return await wrapped.invoke({ name: "search", args: {}, id: "1", type: "tool_call" });
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

describe("redact", () => {
  it("sees what stays of a tool's artifact", async () => {
    const redacting = createOffloader({
      store: memoryStore(),
      plugins: [redact((text) => text.replaceAll("a.md", "***"))],
    });
    const wrapped = withOffload(searching(CITATIONS), { offloader: redacting });
    const message = await wrapped.invoke({ name: "search", args: {}, id: "1", type: "tool_call" });
    expect(message.artifact.toolArtifact).toEqual({ ...CITATIONS, citations: ["***", "b.md"] });
    await redacting.close();
  });
});

describe("a small artifact", () => {
  it("has at most 4,096 characters of JSON, about", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3_000), (value, more) => {
        const artifact = { value, text: "x".repeat(more) };
        const { length } = JSON.stringify(artifact);
        if (length > 3 * 4_096) expect(isPlain(artifact, 4_096)).toBe(false);
        if (isPlain(artifact, 4_096)) expect(length).toBeLessThan(3 * 4_096);
      }),
    );
    expect(isPlain({ text: "x".repeat(4_050) }, 4_096)).toBe(true);
    expect(isPlain({ text: "x".repeat(4_100) }, 4_096)).toBe(false);
  });

  const looped: { self?: unknown } = {};
  looped.self = looped;
});
