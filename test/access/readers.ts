import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import * as z from "zod";

import type { AccessRule, Offloader, SessionRule } from "../../src/index.js";
import { mcpagent, vectara } from "../../src/presets/index.js";
import { type ScriptedModel, scriptedModel } from "../../src/testing/scripted-model.js";
import {
  carriedIn,
  DRILL_INS,
  examined,
  forgedOf,
  type Kit,
  type Line,
  opened,
  openOver,
  type Outputs,
  type Place,
  putBeside,
  putForeign,
  type Row,
  type Stored,
  storing,
} from "./rig.js";
import {
  askDeep,
  askDrillIn,
  askLoop,
  askModel,
  type Connection,
  DEEP_KIT,
  type Graph,
  GRAPH_KIT,
  GRAPHS,
  listDeep,
  type MakeGraph,
  MCP_KIT,
  question,
  type Tools,
  toProxy,
  toServer,
} from "./ways.js";
import { calling, thread as inThread, toolNamed } from "../adapters/agents.js";

/** An owner's thread, what it has stored, and what a reader of it needs. */
export interface Owner {
  readonly thread: string;
  readonly outputs: Outputs;
}
type Way = keyof typeof GRAPHS;

/** Rows of readers who differ in what the rule gives them. */
async function ofRules(
  { thread, outputs }: Owner,
  sessionId: string,
  open: () => Promise<Opened & Tools & Pick<Row, "way">>,
): Promise<Line[]> {
  const lines: Line[] = [];
  const rules: Readonly<Record<string, AccessRule>> = {
    "rule that names the owner": () => [thread],
    "rule that names another session": () => ["someone-else"],
    "rule that throws": () => {
      throw new Error("down");
    },
  };
  for (const [reader, rule] of Object.entries(rules)) {
    opened.set(sessionId, rule);
    const { close, ...row } = await open();
    const isStranger = reader !== "rule that names the owner";
    lines.push(await examined({ ...row, reader, outputs, isAccess: true, isStranger }));
    await close?.();
  }
  opened.delete(sessionId);
  return lines;
}

/** An agent that stores, and the messages and checkpoints that it leaves. */
async function ownerOf(
  way: Way,
  offloader: Offloader,
  foreign: Stored,
  checkpointer?: MemorySaver,
): Promise<Owner & { readonly messages: BaseMessage[]; readonly graph: Graph }> {
  const thread = `${way}-owner`;
  const graph = GRAPHS[way](offloader, scriptedModel(storing), { checkpointer });
  const { messages } = await graph.invoke(question, checkpointer ? inThread(thread) : {});
  return { thread, outputs: carriedIn(messages, foreign), messages, graph };
}

/** Readers of one way in of LangGraph, within one process. */
async function ofGraph(way: Way, offloader: Offloader, foreign: Stored) {
  const make: MakeGraph = GRAPHS[way];
  const checkpointer = new MemorySaver();
  const owner = await ownerOf(way, offloader, foreign, checkpointer);
  const { thread, outputs, messages, graph } = owner;
  const lines: Line[] = [];
  const add = async (reader: string, more: Partial<Row> & Pick<Row, "ask">): Promise<void> => {
    lines.push(await examined({ way, reader, ...GRAPH_KIT, outputs, ...more }));
  };
  const asking = (
    config: object | ((model: ScriptedModel) => Promise<object>),
    input: object = question,
    saver?: MemorySaver,
  ): Row["ask"] =>
    askModel(async (model) => {
      const given = typeof config === "function" ? await config(model) : config;
      await make(offloader, model, { checkpointer: saver }).invoke(input, given);
    });
  const again = { messages: [new HumanMessage("Read.")] };
  const states: { config: object; count: number; values: { _offloads?: object } }[] = [];
  for await (const { config, values } of graph.getStateHistory(inThread(thread)))
    states.push({ config, values, count: values.messages?.length ?? 0 });
  const at = (count: number): object => states.find((one) => one.count === count)?.config ?? {};

  await add("fork behind the outputs", { ask: asking(at(5), again, checkpointer) });
  await add("fork before the outputs, by updateState", {
    ask: asking(
      (model) => make(offloader, model, { checkpointer }).updateState(at(1), again, "__start__"),
      question,
      checkpointer,
    ),
  });
  await add("same session", {
    ask: asking(inThread(thread), question, checkpointer),
    beside: await putBeside(offloader, thread),
  });
  await add("another session", {
    ask: asking(inThread(`${way}-other`)),
    beside: await putBeside(offloader, `${way}-other`),
    isStranger: true,
  });
  await add("copied messages", {
    ask: asking(inThread(`${way}-copy`), { messages: [...messages, ...again.messages] }),
    beside: await putBeside(offloader, `${way}-copy`),
  });
  if (way === "agent") {
    const copy = inThread("agent-state");
    const { _offloads } = states[0]?.values ?? {};
    await add("copied state", {
      ask: asking(
        async (model) => {
          const graph = make(offloader, model, { checkpointer });
          // As a checkpointer copies it: written by a node, for nobody outside may write it.
          await graph.updateState(copy, { _offloads }, "tools");
          return copy;
        },
        question,
        checkpointer,
      ),
      beside: await putBeside(offloader, "agent-state"),
    });
  }
  const unknown = { ...outputs.own, id: forgedOf(outputs.own), sizeBytes: 5 };
  const stolen = { ...outputs.own, sizeBytes: 5 };
  for (const [reader, config, made] of [
    ["messages with a forged artifact", inThread(`${way}-forger`), unknown],
    ["a tool's artifact of another session", inThread(`${way}-thief`), stolen],
    ["no thread, forged artifact", {}, unknown],
  ] as const)
    await add(reader, { ...forger(make, offloader, config, made), isStranger: true });

  const alone = await ownerOf(way, offloader, foreign);
  const own = { outputs: alone.outputs };
  const kept = { messages: [...alone.messages, ...again.messages] };
  await add("no thread, next run", { ...own, ask: asking({}), isStranger: true });
  await add("no thread, next run with the messages", { ...own, ask: asking({}, kept) });
  if (way === "agent") lines.push(...(await ofSubAgents(make, offloader, owner)));
  const reader = `${way}-reader`;
  const ruled = await ofRules(owner, reader, async () => ({
    way,
    ...GRAPH_KIT,
    ask: asking(inThread(reader)),
  }));
  return { owner, lines: [...lines, ...ruled] };
}

/** A reader one of whose tools says that an artifact is its own. */
function forger(make: MakeGraph, offloader: Offloader, config: object, made: object) {
  const more = { responseFormat: "content_and_artifact" };
  const forging = toolNamed("forging", () => ["ok", made], z.object({}), more);
  const run = (model: ScriptedModel): Promise<unknown> =>
    make(offloader, model, { more: [forging] }).invoke(question, config);
  return { ask: askModel(run, [calling("forging")]) };
}

/** Sub-agents that a tool of the owner's agent runs. */
async function ofSubAgents(make: MakeGraph, offloader: Offloader, owner: Owner): Promise<Line[]> {
  const { thread, outputs } = owner;
  const to = `${thread}/sub`;
  const delegated = (config: object, session?: SessionRule): Row["ask"] =>
    askModel(async (model) => {
      const sub = make(offloader, model, { session });
      const delegate = toolNamed("delegate", async () => void (await sub.invoke(question, config)));
      const parent = scriptedModel([calling("delegate")]);
      await make(offloader, parent, { more: [delegate] }).invoke(question, inThread(thread));
    });
  const ask = delegated(inThread(thread), () => to);
  const examine = (where: string, ask: Row["ask"], isStranger: boolean): Promise<Line> =>
    examined({
      way: "agent",
      ...GRAPH_KIT,
      outputs,
      reader: `sub-agent ${where}`,
      ask,
      isStranger,
    });
  const bySession = { way: "agent, by its session", ...GRAPH_KIT, ask };
  return [
    await examine("in its parent's thread", delegated(inThread(thread)), false),
    await examine("in a thread of its own", delegated(inThread("sub-thread")), true),
    await examine("with a session of its own", ask, true),
    ...(await ofRules(owner, to, async () => bySession)),
  ];
}

type AskAs = (session: { sessionId: string }) => Row["ask"];
type Opened = Pick<Row, "ask" | "list"> & { readonly close?: Connection["close"] };

/** Readers of a way in to which a session is given; `more` is said of each. */
async function ofSessions(
  { offloader, owner, more = "" }: { offloader: Offloader; owner: Owner; more?: string },
  tools: Tools & Pick<Row, "way">,
  open: (...asked: Parameters<AskAs>) => Opened | Promise<Opened>,
): Promise<Line[]> {
  const { outputs, thread } = owner;
  const { way } = tools;
  const lines: Line[] = [];
  for (const [reader, sessionId] of [
    ["same session", thread],
    ["another session", `${way}-other${more}`],
  ] as const) {
    const { close, ...row } = await open({ sessionId });
    const beside = "sql" in tools.kit ? await putBeside(offloader, sessionId) : undefined;
    const isStranger = sessionId !== thread;
    lines.push(
      await examined({ ...tools, ...row, reader: more + reader, outputs, beside, isStranger }),
    );
    await close?.();
  }
  if (way === "drillIn") return lines;
  const to = `${way}-reader${more}`;
  const ruled = await ofRules(owner, to, async () => ({
    ...tools,
    ...(await open({ sessionId: to })),
  }));
  return [...lines, ...ruled.map((line) => ({ ...line, reader: more + line.reader }))];
}

const LOOP: Tools & Pick<Row, "way"> = { way: "loop", kit: DRILL_INS };
const CALLED: Tools & Pick<Row, "way"> = { way: "drillIn", kit: DRILL_INS };

/** All rows: `elsewhere` gives those of a process that shares nothing with the owner's but the place. */
export async function rowsOf(
  place: Place,
  serverUrl: string,
  elsewhere: (owner: Owner) => Promise<Line[]>,
): Promise<Line[]> {
  const offloader = openOver(place);
  const foreign = await putForeign(offloader);
  const agent = await ofGraph("agent", offloader, foreign);
  const node = await ofGraph("node", offloader, foreign);
  const tools = await ofGraph("tools", offloader, foreign);
  const { owner } = agent;
  const others = elsewhere(owner);
  const of = { offloader, owner };
  const deep = (config: object, session?: SessionRule): Opened => {
    const ask = askDeep(offloader, { ...place, session }, config);
    return { ask, list: () => listDeep(ask) };
  };
  const deepRow = { way: "deep agent", kit: DEEP_KIT, outputs: owner.outputs, isStranger: true };
  const subSession: SessionRule = () => "deep-sub";
  const lines = [
    ...[agent, node, tools].flatMap((one) => one.lines),
    ...(await ofSessions(of, LOOP, (own) => ({ ask: askLoop(offloader, own) }))),
    ...(await ofSessions(of, CALLED, (own) => ({ ask: askDrillIn(offloader, own) }))),
    ...(await ofSessions(of, { way: "server", ...MCP_KIT }, (own) => toServer(place, own))),
    ...(await ofSessions(of, { way: "proxy", ...MCP_KIT }, (own) =>
      toProxy(place, serverUrl, own),
    )),
    ...(await ofSessions(of, { way: "deep agent", kit: DEEP_KIT }, ({ sessionId }) =>
      deep(inThread(sessionId)),
    )),
    await examined({
      ...deepRow,
      reader: "sub-agent with a session of its own",
      ...deep(inThread(owner.thread), subSession),
    }),
    await examined({ ...deepRow, reader: "no thread, next run", ...deep({}) }),
  ];
  for (const [way, { preset, kit }] of Object.entries(PRESETS)) {
    const own = openOver(place, { drillIn: {}, ...preset() });
    const session = { ...of, offloader: own };
    lines.push(...(await ofSessions(session, { way, kit }, (as) => ({ ask: askLoop(own, as) }))));
    await own.close();
  }
  await offloader.close();
  return [...lines, ...(await others)];
}

const PRESETS: Readonly<Record<string, { preset: () => object; kit: Kit }>> = {
  mcpagent: {
    preset: () => ({ preset: mcpagent() }),
    kit: {
      read: ["read_large_output", (filename) => ({ filename, start: 0, end: 4000 })],
      search: ["search_large_output", (filename) => ({ filename, pattern: "canary" })],
      query: ["query_large_output", (filename) => ({ filename, query: ".note" })],
    },
  },
  vectara: {
    preset: () => ({ preset: vectara({ onWarning: () => undefined }) }),
    kit: {
      read: ["artifact_read", (artifact_id) => ({ artifact_id })],
      grep: ["artifact_grep", (artifact_id) => ({ artifact_id, pattern: "canary" })],
      jq: ["artifact_jq", (artifact_id) => ({ artifact_id, filter: ".note" })],
    },
  },
};

/**
 * The rows of another process.
 *
 * @public A child process imports it.
 */
export async function rowsElsewhere(place: Place, owner: Owner): Promise<Line[]> {
  const offloader = openOver(place);
  const of = { offloader, owner, more: "another process, " };
  const run = (model: ScriptedModel, config: object): Promise<unknown> =>
    GRAPHS.agent(offloader, model).invoke(question, config);
  const lines = [
    ...(await ofSessions(of, { way: "agent", ...GRAPH_KIT }, ({ sessionId }) => ({
      ask: askModel((model) => run(model, inThread(sessionId))),
    }))),
    ...(await ofSessions(of, LOOP, (own) => ({ ask: askLoop(offloader, own) }))),
    ...(await ofSessions(of, CALLED, (own) => ({ ask: askDrillIn(offloader, own) }))),
  ];
  await offloader.close();
  return lines;
}
