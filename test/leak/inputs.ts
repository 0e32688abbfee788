import {
  humanMessages,
  offloadHumanMessages,
} from "../../src/adapters/langchain/human-messages/index.js";
import { aging } from "../../src/adapters/langchain/aging/index.js";
import { Readable } from "node:stream";

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { Command } from "@langchain/langgraph";
import * as z from "zod";

import { offloadFrom } from "../../src/adapters/langchain/offload-from.js";
import { offloadToolNode } from "../../src/adapters/langchain/offload-tool-node.js";
import { withOffload } from "../../src/adapters/langchain/with-offload.js";
import { media } from "../../src/plugins/media/media.js";
import { codePlugin } from "../../src/plugins/code/code.js";
import { startEngine } from "../../src/plugins/code/engine.js";
import { resolveCode } from "../../src/plugins/code/options.js";
import type { OffloadOptions } from "../../src/index.js";
import type { ScriptedTurn } from "../../src/testing/scripted-model.js";
import { artifactsOf } from "../adapters/large-outputs.js";
import { CANARY } from "./canary.js";
import { LOST, type Place, SESSION } from "./place.js";
import { redact as redactPlugin } from "../../src/plugins/redact/redact.js";

/** What has a secret, the sinks that it reaches where nothing is redacted, and how it comes in. */
export type Input = readonly [name: string, reaches: string, run: (place: Place) => unknown];
type Make = (count: number, config?: unknown) => unknown;
type More = { tool?: object; args?: Record<string, unknown>; options?: OffloadOptions };

export const MANY = 200;
/** What leaves, what stays, what is cut, and what cannot be stored. */
const NAMES = ["large", "small", "cut", LOST] as const;
/** What all outputs that are stored reach. */
export const STORED = "store disk journal page";
const AGENT = "model caller checkpoint trace";
const TEXT = `${AGENT} ${STORED} event`;
const INLINE = `${AGENT} journal page`;
const schema = z.object({ query: z.string().optional() });
const thread = { configurable: { thread_id: SESSION } };

const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
const clean: Make = (count) => ids(count).map((id) => ({ id, note: `nothing of ${id}` }));
export const says = (count: number): string[] => ids(count).map((id) => `row ${id}: ${CANARY}`);
const lines = (count: number): string => says(count).join("\n");
const notes: Make = (count) => JSON.stringify(ids(count).map((id) => ({ id, note: CANARY })));
const keyed = (count: number): object[] => ids(count).map((id) => ({ id, [CANARY]: CANARY }));
const bytesOf = (text: string): Buffer => Buffer.from(text);
const pieces = (text: string): string[] => text.match(/[\s\S]{1,5}/g) ?? [];
const fault = new Error(`no ${CANARY}`);
const throwing = (error: Error) => (): never => {
  throw error;
};
const broken = throwing(fault);

function toolOf(name: string, make: Make, more: object = {}): DynamicStructuredTool {
  const run = (_: unknown, config: unknown): unknown => make(name === "small" ? 2 : MANY, config);
  return tool(run as () => string, { name, description: "Gives.", schema, ...more });
}
const toolsOf = (make: Make, more?: object) => NAMES.map((name) => toolOf(name, make, more));

/** One turn. */
const calls = (names: readonly string[], args: Record<string, unknown> = {}) => ({
  toolCalls: names.map((name) => ({ name, args })),
});
const reads: ScriptedTurn = (messages) => ({
  toolCalls: artifactsOf(messages).map(({ id }) => ({ name: "read_tool_output", args: { id } })),
});

/** A value that a tool of an agent gives, in each of the four ways. */
function given(name: string, make: Make, reaches = TEXT, more: More = {}): Input {
  const turns = [calls(NAMES, more.args), reads];
  return [name, reaches, ({ ask }) => ask(toolsOf(make, more.tool), turns, more)];
}

/** A block behind a text that has nothing to hide. */
function beside(name: string, block: object, reaches = AGENT, more?: More): Input {
  const make: Make = (count) => [{ type: "text", text: JSON.stringify(clean(count)) }, block];
  return given(name, make, reaches, more);
}

const own = { note: CANARY, map: new Map([[CANARY, 1]]) };
const secret = { content: lines(2), artifact: { note: CANARY } };
const structured = (count: number) => [
  { type: "mcp_structured_content", data: { rows: says(count) } },
];
const selecting = { options: { selectResultSet: () => says(MANY) } };
const withArtifact = { tool: { responseFormat: "content_and_artifact" } };
const answer = (fields: object): ToolMessage =>
  new ToolMessage({ content: "row", tool_call_id: "", ...fields });
const source = { type: "text", media_type: "text/plain", data: CANARY };
const pdf = { type: "file", mime_type: "application/pdf", data: "AAAA".repeat(100) };
const withMedia = { options: { plugins: [media({ threshold: { bytes: 99 } })] } };

const input = (...row: Input): Input => row;

/** Not a generator, which LangChain would read itself. */
const streamed = (parts: Iterable<unknown>, end?: Error): AsyncIterable<unknown> => ({
  async *[Symbol.asyncIterator]() {
    yield* parts;
    if (end) throw end;
  },
});

/** Code of a model that calls tools, and saves what it gets and what they throw. */
const CODE = `const [few] = await tools.small({}); let many;
  for (const one of await tools.large({})) many = one;
  const told = await tools.broken({}).catch((error) => error.message);
  outputs.save("of " + few.note, [few, many, { told }]);`;

function coding(name: string, reaches: string, code: string, make: Make): Input {
  const names = ["large", "small", "broken"];
  const tools = names.map((one) => toolOf(one, one === "broken" ? broken : make));
  const settings = resolveCode({ tools: names, interruptOn: {} });
  const engine = codePlugin({ ...settings, maxInlineResultBytes: 1_000 }, startEngine);
  const turns = [calls(["code_tool_output"], { code: `${code}\nreturn few` })];
  return input(name, `${AGENT} ${reaches}`, ({ ask, options: { drillIn } }) =>
    ask(tools, turns, { options: { plugins: [engine], drillIn: { ...drillIn } } }),
  );
}

/** A conversation that had a result before, as large as leaves at once. */
const messages = [
  new HumanMessage("Go."),
  new AIMessage({ content: "", tool_calls: [{ name: "large", args: { query: CANARY }, id: "a" }] }),
  answer({ content: lines(10 * MANY), name: "large", tool_call_id: "a" }),
  new AIMessage("Done."),
  new HumanMessage("And then?"),
];
const ages = aging({ trigger: { tokens: 1_000 }, keep: { results: 1 } });

/** Questions with the secret in them to the output that was stored first. */
const asking: ScriptedTurn = (said) => {
  const id = artifactsOf(said)[0]?.id;
  const toolCalls = [
    { name: "grep_tool_output", args: { id, pattern: CANARY } },
    { name: "jq_tool_output", args: { id, filter: `.${CANARY}(` } },
    { name: "small", args: { query: { $output: id, jq: `"${CANARY}"` } } },
  ];
  return { toolCalls };
};

type WrapOptions = { trace?: "descriptor" };
function wrapped(name: string, reaches: string, make: Make, more: WrapOptions = {}): Input {
  return input(name, reaches, async ({ ask, open }) => {
    const offloader = open();
    const tools = toolsOf(make).map((one) => withOffload(one, { offloader, ...more }));
    await ask(tools, [calls(NAMES), reads], { areWrapped: true });
  });
}

function inNode(name: string, reaches: string, make: Make): Input {
  return input(name, reaches, async ({ open, note }) => {
    const node = offloadToolNode(toolsOf(make), { offloader: open() });
    const tool_calls = NAMES.map((one) => ({ name: one, args: {}, id: one }));
    const state = { messages: [new AIMessage({ content: "", tool_calls })] };
    note("caller", await node.invoke(state, thread));
  });
}

/** Of agents, nodes, wrapped tools and code. */
export const INPUTS: readonly Input[] = [
  given("a text", lines),
  given("a value in JSON", notes),
  given("a key in JSON", keyed, TEXT),
  given("a map", (count) => new Map([["notes", keyed(count)]])),
  given("a text block", (count) => [{ type: "text", text: lines(count) }]),
  given("a cursor", (count) => ({ items: clean(count), nextCursor: CANARY })),
  // Those that stay are bytes in the journal.
  given("bytes", (count) => bytesOf(lines(count)), `${AGENT} store disk page event`),
  given("an async iterable of text", (count) => streamed(pieces(lines(count)))),
  given("a web stream of text", (count) => Readable.toWeb(Readable.from(pieces(lines(count))))),
  given("a Node stream of bytes", (count) => Readable.from(pieces(lines(count)).map(bytesOf))),
  given("a stream of records", (count) => streamed(keyed(count))),
  given("a stream that fails", () => streamed(["row\n"], fault), AGENT),
  given("an output for the user", lines, "caller checkpoint trace journal page", {
    tool: { returnDirect: true },
  }),
  beside("a block of JSON", { type: "json", json: { [CANARY]: CANARY } }),
  beside("an embedded resource", { type: "resource", resource: { uri: "a:b", text: CANARY } }),
  beside("a document", { type: "document", title: CANARY, source }),
  beside("a text-plain block", { type: "text-plain", title: CANARY, text: CANARY }),
  beside("metadata of a file", { ...pdf, metadata: { filename: CANARY } }),
  beside("the name of a stored file", { ...pdf, filename: CANARY }, TEXT, withMedia),
  beside("bytes of a file", { ...pdf, data: Buffer.from(CANARY).toString("base64") }),
  given("an artifact of the tool", () => ["2 rows", own], "caller checkpoint trace", withArtifact),
  given("structured content", (count) => ["2 rows", structured(count)], TEXT, withArtifact),
  given("a selected set", () => "2 rows", `${AGENT} ${STORED}`, selecting),
  given("an answer of the status error", () => answer({ status: "error", ...secret }), AGENT),
  given("a message's metadata", () => answer({ additional_kwargs: { note: CANARY } }), AGENT),
  given("a command", (count, config) => {
    const { id: tool_call_id } = (config as { toolCall: { id: string } }).toolCall;
    const messages = [answer({ content: lines(count), tool_call_id })];
    return new Command({ update: { messages } });
  }),
  given("a title", (count, config) => offloadFrom(config)(clean(count), { title: CANARY })),
  given("a thrown message", broken, AGENT),
  given("a thrown cause", throwing(new Error("no", { cause: new Error(CANARY) })), "trace"),
  given("arguments", clean, TEXT, { args: { query: CANARY } }),
  given("an excluded tool", lines, INLINE, { options: { exclude: [...NAMES] } }),
  given("what is switched off", lines, INLINE, { options: { enabled: false } }),
  input("a tool's name", `${TEXT} span`, ({ ask }) =>
    ask([toolOf(CANARY, clean)], [calls([CANARY]), reads]),
  ),
  coding("a nested call's result", `${STORED} event`, CODE, notes),
  coding("a remark beside a nested call's result", "", CODE, (count) => [
    { type: "text", text: JSON.stringify(clean(count)) },
    { type: "text", text: CANARY },
  ]),
  coding("a nested call's error", "store disk page", CODE.replace("few.note", "told"), clean),
  coding("code", "journal", CODE.replace("{}", `{ query: "${CANARY}" }`), clean),
  input("questions to an output", `${AGENT} journal page`, ({ ask }) =>
    ask(toolsOf(clean), [calls(["large"]), asking]),
  ),
  input("a result from before", `${AGENT} store disk page`, ({ ask }) =>
    ask(toolsOf(clean), [calls(["small"]), reads], { messages, options: { plugins: [ages] } }),
  ),
  input("a long message of the user", "caller store disk page", async ({ open, note }) => {
    const plugins = [humanMessages({ threshold: { tokens: 1_000 } })];
    const node = offloadHumanMessages(open({ plugins }));
    const message = new HumanMessage({ content: lines(MANY), id: "h" });
    note("caller", await node({ messages: [message] }, thread));
  }),
  input("values that are put", `caller ${STORED} event`, async ({ open, note }) => {
    const { put, drillIn } = open();
    const of = { sessionId: SESSION, title: CANARY };
    for (const value of [lines(MANY), streamed(pieces(lines(MANY))), { [CANARY]: CANARY }]) {
      const one = await put(value, of);
      const { id, sessionKey } = one.storedArtifact;
      note("caller", [one, await drillIn.run("jq", { id, filter: "." }, { sessionKey })]);
    }
    const lost = put(lines(MANY), { ...of, toolName: LOST });
    note("caller", await lost.catch((error: unknown) => error));
  }),
  input("what redact throws", `caller ${STORED}`, async ({ open, note, options }) => {
    const redact = (text: string): never => {
      throw new Error(`no pattern for ${text}`);
    };
    const isRedacted = (options.plugins?.length ?? 0) > 2;
    const plugins = [...(options.plugins?.slice(0, 2) ?? []), redactPlugin(redact)];
    const { offload } = open(isRedacted ? { plugins } : {});
    const of = { sessionId: SESSION, toolName: "large", args: { query: CANARY } };
    for (const value of [lines(MANY), lines(2), streamed(pieces(lines(MANY)))]) {
      note("caller", await offload({ ...of, value }));
    }
  }),
  wrapped("a wrapped tool's text", TEXT, lines),
  wrapped("a wrapped tool's text behind its trace", TEXT, lines, { trace: "descriptor" }),
  wrapped("a wrapped tool's error", AGENT, broken),
  inNode("a text in a node", `caller ${STORED} event`, lines),
  inNode("an error in a node", "caller", broken),
];
