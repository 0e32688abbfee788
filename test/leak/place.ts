import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MemorySaver } from "@langchain/langgraph";
import * as otel from "@opentelemetry/sdk-trace-base";
import { type AgentMiddleware, createAgent, createMiddleware } from "langchain";
import { vi } from "vitest";

import * as library from "../../src/index.js";
import { startInspector } from "../../src/inspect/index.js";
import { journal, readJournal } from "../../src/plugins/journal/index.js";
import { spansTo } from "../plugins/opentelemetry/spans-to.js";
import type { NewArtifact } from "../../src/core/store/artifact-store.js";
import { scriptedModel, type ScriptedTurn } from "../../src/testing/scripted-model.js";
import { asked } from "../inspect/serve.js";
import { hasCanary } from "./canary.js";
import { redact as redactPlugin, type Redact } from "../../src/plugins/redact/redact.js";

/** Where a secret could come out. `store` is what is read back of it; `disk` is all that is below the folder but the journal. */
export type Sink =
  | ("model" | "caller" | "checkpoint" | "trace" | "store" | "disk")
  | ("journal" | "event" | "span" | "client" | "page" | "warning");
type Tools = NonNullable<Parameters<typeof createAgent>[0]["tools"]>;
type Note = (sink: Sink, value: unknown) => void;

/** One run with a store, a journal, listeners and a folder of its own. */
export interface Place {
  /** Those that everything in it has, with `redact` where it is on. */
  readonly options: library.OffloadOptions;
  /** One of these options, which is closed in the end. */
  open(more?: library.OffloadOptions): library.Offloader;
  readonly note: Note;
  /** Runs an agent to its end; with a middleware of this library unless its tools are wrapped. */
  ask(
    tools: Tools,
    turns: readonly ScriptedTurn[],
    given?: { options?: library.OffloadOptions; messages?: BaseMessage[]; areWrapped?: true },
  ): Promise<void>;
}

/** Outputs of a tool with this name cannot be stored. */
export const LOST = "lost";
export const SESSION = "a thread";
const MODES: ("custom" | "values")[] = ["custom", "values"];

/** Runs something, and gives the sinks that the secret has reached. */
export async function sinksReached(
  redact: Redact | undefined,
  run: (place: Place) => unknown,
): Promise<Sink[]> {
  const directory = mkdtempSync(join(tmpdir(), "leak-"));
  const at = (name: string): string => join(directory, name);
  for (const name of ["tmp", "store", "journal"]) mkdirSync(at(name));
  vi.stubEnv("TMPDIR", at("tmp"));
  const reached = new Set<Sink>();
  const note: Note = (sink, value) => {
    if (!reached.has(sink) && hasCanary(value)) reached.add(sink);
  };
  const warned = (...said: unknown[]): true => {
    note("warning", said);
    return true;
  };
  const spies = [
    vi.spyOn(process.stderr, "write").mockImplementation(warned),
    vi.spyOn(process, "emitWarning").mockImplementation(warned),
    vi.spyOn(console, "warn").mockImplementation(warned),
    vi.spyOn(console, "error").mockImplementation(warned),
  ];
  const store = library.fileStore({ directory: at("store") });
  const exporter = new otel.InMemorySpanExporter();
  const spanProcessors = [new otel.SimpleSpanProcessor(exporter)];
  const provider = new otel.BasicTracerProvider({ spanProcessors });
  const kept: NewArtifact[] = [];
  const opened: library.Offloader[] = [];
  const options: library.OffloadOptions = {
    store: {
      ...store,
      async put(artifact, body) {
        kept.push(artifact);
        if (artifact.toolName !== LOST) return await store.put(artifact, body);
        throw new Error(`no room for ${await text(Readable.from(body))}`);
      },
    },
    threshold: { tokens: 500 },
    perTool: { cut: { mode: "truncate" } },
    temporaryDirectory: at("spool"),
    onEvent: (event) => note("event", event),
    plugins: [
      spansTo(provider),
      journal({ directory: at("journal"), inlineText: true }),
      ...(redact ? [redactPlugin(redact)] : []),
    ],
  };
  const open: Place["open"] = (more) => {
    const own = more?.plugins ?? [];
    const isOwn = ({ name }: { readonly name: string }): boolean =>
      own.some((one) => one.name === name);
    const plugins = [...(options.plugins ?? []).filter((one) => !isOwn(one)), ...own];
    const offloader = library.createOffloader({ ...options, ...more, plugins });
    opened.push(offloader);
    return offloader;
  };
  try {
    await run({ options, open, note, ask: (...given) => ask({ open, note }, ...given) });
    note("disk", textsBelow(directory, "journal"));
    await Promise.all(opened.map((offloader) => offloader.close()));
    note("disk", textsBelow(directory, "journal"));
    for (const { id, sessionKey } of kept) {
      const artifact = await store.stat(id, sessionKey);
      note("store", artifact && [artifact, await store.read(artifact)]);
    }
    note("journal", textsBelow(at("journal")));
    for (const { name, attributes, events, status } of exporter.getFinishedSpans()) {
      note("span", [name, attributes, events, status]);
    }
    await readPage(directory, note);
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true, force: true });
  }
  return [...reached];
}

async function ask(
  { open, note }: Pick<Place, "open" | "note">,
  ...[tools, turns, { options, messages, areWrapped } = {}]: Parameters<Place["ask"]>
): Promise<void> {
  const checkpointer = new MemorySaver();
  const seen = createMiddleware({
    name: "seen",
    async wrapModelCall(request, handler) {
      const shown = request.tools.map((one) => convertToOpenAITool(one as never));
      note("model", [request.systemMessage, request.messages, shown]);
      return await handler(request);
    },
  });
  const middleware: AgentMiddleware[] = [seen];
  if (!areWrapped) middleware.unshift(library.offloadMiddleware({ offloader: open(options) }));
  const agent = createAgent({ model: scriptedModel(turns), tools, middleware, checkpointer });
  const hears = ["LLM", "Chain", "Tool"].flatMap((what) =>
    ["Start", "End", "Error", "Event"].map((when) => `handle${what}${when}`),
  );
  const methods = [...hears, "handleChatModelStart", "handleCustomEvent"].map((name) => [
    name,
    (...told: unknown[]) => note("trace", told),
  ]);
  const tracing = BaseCallbackHandler.fromMethods(Object.fromEntries(methods));
  tracing.awaitHandlers = true;
  try {
    const stream = await agent.stream(
      { messages: messages ?? [new HumanMessage("Go.")] },
      { configurable: { thread_id: SESSION }, callbacks: [tracing], streamMode: MODES },
    );
    for await (const [mode, chunk] of stream) note(mode === "custom" ? "event" : "caller", chunk);
  } catch (error) {
    note("caller", error);
  }
  note("checkpoint", [checkpointer.storage, checkpointer.writes]);
}

/** Names and contents of all that is below a folder, but for one part of it. */
function textsBelow(folder: string, but?: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== but);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    const inside = entry.isDirectory() ? textsBelow(path) : [readFileSync(path, "latin1")];
    return [entry.name, ...inside];
  });
}

/** Asks the inspect page for everything. */
async function readPage(directory: string, note: Note): Promise<void> {
  const inspector = await startInspector({
    directory: join(directory, "store"),
    journal: readJournal(join(directory, "journal")),
    port: 0,
    now: Date.now,
  });
  const get = async (path: string): Promise<string[]> => {
    const answer = await asked<unknown>(inspector, `/api/${path}`);
    note("page", answer);
    const ids = JSON.stringify(answer).matchAll(/"id":"([0-9a-f]{64}|[0-9A-Z]{26})"/g);
    return Array.from(ids, ([, id = ""]) => id);
  };
  for (const session of ["none", ...(await get("sessions"))]) {
    await get(`sessions/${session}`);
    await get(`sessions/${session}/entries`);
    for (const id of await get(`sessions/${session}/outputs`))
      for (const more of ["", "/page"]) await get(`outputs/${id}${more}`);
  }
  await inspector.close();
}
