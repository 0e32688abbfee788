import { referring } from "../../referring.js";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { StructuredTool } from "@langchain/core/tools";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { outputsOf } from "../data.js";
import {
  DEEP_AGENT_FILE_TOOLS,
  memoryStore,
  offloadBackend,
  offloadCallbackHandler,
  offloadMiddleware,
  openTelemetry,
  scriptedModel,
  type ScriptedTurn,
} from "../entries.js";
import type { Case } from "../pins.js";
import { calls, idIn, question, thread, told } from "../surfaces.js";
import { outputOf, tellOf } from "../offload-case.js";

const { "a JSON array": json = "", "a log": log = "" } = outputsOf(100);

const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };

const nameIn: (messages: Parameters<typeof idIn>[0]) => string = (messages) =>
  `/offloads/${idIn(messages)}`;
const files: ScriptedTurn = (messages) => ({
  toolCalls: [
    { name: "ls", args: { path: "/offloads/" } },
    { name: "read_file", args: { file_path: nameIn(messages), offset: 1, limit: 2 } },
    { name: "grep", args: { pattern: "record 42", path: "/offloads/" } },
    { name: "glob", args: { pattern: "**/*.jsonl", path: "/offloads/" } },
    { name: "write_file", args: { file_path: nameIn(messages), content: "x" } },
    { name: "edit_file", args: { file_path: nameIn(messages), old_string: "a", new_string: "b" } },
    { name: "read_file", args: { file_path: "/offloads/none.jsonl" } },
  ],
});

const deepAgent: Case = {
  name: "a deep agent: its file tools over what is stored",
  run: async (rig) => {
    const offloader = rig.offloader({ exclude: DEEP_AGENT_FILE_TOOLS, ...referring("auto") });
    const listRows = tool(() => json, {
      name: "list_rows",
      description: "All rows.",
      schema: z.object({}),
    }) as unknown as StructuredTool;
    const agent = createDeepAgent({
      model: scriptedModel([calls("list_rows"), files]),
      tools: [listRows],
      middleware: [offloadMiddleware({ offloader })],
      backend: new CompositeBackend(new StateBackend(), {
        "/offloads/": offloadBackend(offloader),
      }),
    });
    const { messages } = await agent.invoke(question, thread);
    await offloader.close();
    // They run at the same time.
    rig.events.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return await rig.pinned(told(messages));
  },
};

const observed: Case = {
  name: "a callback handler: what tools returned",
  run: async (rig) => {
    const heard: unknown[] = [];
    const handler = offloadCallbackHandler({
      onOutput: (output) => heard.push(output),
      tokenizer: "characters",
    });
    const middleware = [offloadMiddleware(rig.options())];
    const tools = [
      tool(() => log, { name: "list_log", description: "The log." }),
      tool(() => "pong", { name: "ping", description: "Says pong." }),
    ];
    const agent = createAgent({
      model: scriptedModel([calls("list_log"), calls("ping")]),
      tools,
      middleware,
    });
    await agent.invoke(question as never, { ...thread, callbacks: [handler] });
    return await rig.pinned(heard);
  },
};

const traced: Case = {
  name: "OpenTelemetry: the spans of a walk, a drill-in and a failure",
  run: async (rig) => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const plugins = [openTelemetry({ tracer: provider.getTracer("corpus") })];
    const offloader = rig.offloader({ plugins, onEvent: () => {} });
    const told = await tellOf(offloader.offload(outputOf({ value: log })));
    const failing = rig.offloader({ plugins, onEvent: () => {}, store: broken });
    await failing.offload(outputOf({ value: log }));
    const { storedArtifact } = told as { storedArtifact: { id: string; sessionKey: string } };
    await offloader.drillIn.run(
      "read",
      { id: storedArtifact.id, start_line: 1, end_line: 1 },
      { sessionKey: storedArtifact.sessionKey },
    );
    const spans = exporter.getFinishedSpans().map(({ name, attributes, status, events }) => ({
      name,
      status,
      attributes: { ...attributes, "langchain_offload.duration_ms": undefined },
      events: events.map((event) => event.name),
    }));
    return await rig.pinned(spans);
  },
};

export const protocols: readonly Case[] = [deepAgent, observed, traced];
