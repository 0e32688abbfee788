import { references } from "../../../src/adapters/langchain/references/index.js";
import {
  humanMessages,
  offloadHumanMessages,
} from "../../../src/adapters/langchain/human-messages/index.js";
import { HumanMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createAgent, tool } from "langchain";
import * as z from "zod";

import { spansTo } from "../../plugins/opentelemetry/spans-to.js";
import { outputsOf, records } from "../data.js";
import {
  memoryStore,
  offloadCallbackHandler,
  offloadFrom,
  offloadMiddleware,
  scriptedModel,
  type ScriptedTurn,
} from "../entries.js";
import { outputOf, tellOf } from "../offload-case.js";
import type { Case } from "../pins.js";
import { calls, drill, question, SURFACES, thread, told } from "../surfaces.js";

const { "a JSON array": json = "", "a log": log = "" } = outputsOf(100);
const human = { plugins: [references(), humanMessages({ threshold: { tokens: 1_000 } })] };
const long = `Why did it die?\n${log}\nWhich request was it?`;
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

/** Messages of the user, in a graph. */
const HUMANS: Readonly<Record<string, readonly HumanMessage[]>> = {
  "one with an image, a name and metadata": [
    new HumanMessage({
      id: "m-1",
      name: "ada",
      content: [{ type: "text", text: long }, image, { type: "text", text: "Thanks." }],
      response_metadata: { from: "web" },
    }),
  ],
  "several, two of them equal": [
    new HumanMessage({ id: "m-1", content: long }),
    new HumanMessage({ id: "m-2", content: "A word." }),
    new HumanMessage({ id: "m-3", content: long }),
  ],
};

const humans: readonly Case[] = Object.entries(HUMANS).map(([name, messages]) => ({
  name: `a user's message, in a graph: ${name}`,
  run: async (rig) => {
    const offloader = rig.offloader(human);
    const node = offloadHumanMessages(offloader);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("store", node as never)
      .addEdge(START, "store")
      .compile();
    const result = await graph.invoke({ messages: [...messages] }, thread);
    await offloader.close();
    return await rig.pinned(told(result.messages));
  },
}));

const channels: Case = {
  name: "an agent: what its custom stream and its state hold",
  run: async (rig) => {
    const offloader = rig.offloader();
    const middleware = [offloadMiddleware({ offloader })];
    const listLog = tool(() => log, { name: "list_log", description: "The log." });
    const agent = createAgent({
      model: scriptedModel([calls("list_log")]),
      tools: [listLog],
      middleware,
      checkpointer: new MemorySaver(),
    });
    const parts: unknown[] = [];
    for await (const part of await agent.stream(question as never, {
      ...thread,
      streamMode: "custom",
    }))
      parts.push(part);
    const state = (await agent.graph.getState(thread)).values as Record<string, unknown>;
    await offloader.close();
    const { messages: _, ...channels } = state;
    return await rig.pinned({ parts, channels });
  },
};

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

interface Row {
  readonly name: string;
  /** What the tool does. */
  readonly answer: Parameters<typeof tool>[0];
  readonly returnDirect?: boolean;
  readonly next?: readonly ScriptedTurn[];
}

const ROWS: readonly Row[] = [
  {
    name: "records, and a drill-in",
    answer: () => json,
    next: [drill("jq_tool_output", { filter: "map(.score) | add", slurp: true })],
  },
  { name: "a tool whose output is the user's", answer: () => json, returnDirect: true },
  {
    name: "values that the tool stores itself",
    answer: (async (_: unknown, config: unknown) => {
      const offload = offloadFrom(config);
      const first = await offload(records(40), { title: "The first" });
      const second = await offload("small", { title: "The second", form: "bare" });
      return `Two parts.\n${first}\n${second}`;
    }) as never,
    next: [drill("jq_tool_output", { filter: "length", slurp: true })],
  },
];

function toolOf({ answer, returnDirect = false }: Row): StructuredToolInterface {
  const fields = {
    name: "list_rows",
    description: "All rows.",
    schema: z.object({}),
    returnDirect,
  };
  return tool(answer, fields as never) as unknown as StructuredToolInterface;
}

/** The first rows run on every surface, the others where most people are. */
const ON_ALL = 1;

const surfaces: readonly Case[] = Object.entries(SURFACES).flatMap(([surface, make]) =>
  ROWS.slice(0, surface === "an agent" ? ROWS.length : ON_ALL).map((row) => ({
    name: `${surface}: ${row.name}`,
    run: async (rig) => {
      const offloader = rig.offloader();
      const { model, invoke } = make(
        offloader,
        [toolOf(row)],
        [calls("list_rows"), ...(row.next ?? [])],
      );
      const { messages } = await invoke(question, thread);
      await offloader.close();
      return await rig.pinned({ messages: told(messages), boundTools: model.boundTools });
    },
  })),
);

export const agents: readonly Case[] = [...humans, channels, observed, traced, ...surfaces];
