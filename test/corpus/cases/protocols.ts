import { spansTo } from "../../plugins/opentelemetry/spans-to.js";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createAgent, tool } from "langchain";

import { outputsOf } from "../data.js";
import {
  memoryStore,
  offloadCallbackHandler,
  offloadMiddleware,
  scriptedModel,
} from "../entries.js";
import type { Case } from "../pins.js";
import { calls, question, thread } from "../surfaces.js";
import { outputOf, tellOf } from "../offload-case.js";

const { "a log": log = "" } = outputsOf(100);

const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };

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
    const plugins = [spansTo(provider)];
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

export const protocols: readonly Case[] = [observed, traced];
