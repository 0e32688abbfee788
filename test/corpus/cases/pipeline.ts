import {
  type ArtifactStore,
  atlatl,
  lro,
  mcpagent,
  memoryStore,
  metaCc,
  type OffloadOptions,
  vectara,
} from "../entries.js";
import { outputsOf, pieces, records, words } from "../data.js";
import {
  asUser,
  type Given,
  offloadAll,
  pipelineCases,
  type PipelineRow,
} from "../offload-case.js";
import type { Case } from "../pins.js";

const rows = records(120);
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const json = JSON.stringify(rows);
const large = { value: words(2_000) };
const fails = (message: string): never => {
  throw new Error(message);
};
const wrong = (value: unknown): never => value as never;
const broken = (
  put: ArtifactStore["put"] = () => Promise.reject(new Error("disk full")),
): ArtifactStore => ({ ...memoryStore(), name: "broken", put });
const unstored: OffloadOptions = { store: broken(), threshold: { tokens: 200 } };
const conversation = { tokens: 2_000, contextWindowTokens: 3_000 };
const message = `Why did it die?\n${words(4_000)}\nWhich request was it?`;
const user: Given = { value: message, toolName: "user_message", toolCallId: undefined };

/** What an output is, when it leaves, and what becomes of it when something fails. */
const ROWS: readonly PipelineRow[] = [
  {
    name: "two lists of records in one document",
    output: { value: { orders: rows, data: { refunds: rows.slice(0, 70) }, total: 190 } },
  },
  {
    name: "a CSV with line ends and quotes in its cells",
    output: { value: `id,note\r\n${'1,"a ""b"",\nc"\r\n'.repeat(600)}` },
  },
  {
    name: "text blocks with an image between them",
    output: { value: [{ type: "text", text: json }, image, { type: "text", text: "and the end" }] },
  },
  {
    name: "an MCP text with structured content in its artifact",
    output: {
      value: "Found 120 records.",
      artifact: [{ type: "mcp_structured_content", data: { result: rows } }],
    },
  },
  {
    name: "a title, arguments and a name that is no file's",
    output: {
      value: json,
      title: "Orders of\nMay",
      toolName: "Über/../tool \u0000",
      args: { query: "all", token: 1n },
    },
  },
  {
    name: "where nobody states a limit: 6,400 tokens stay without records, 1,600 with them",
    options: { preset: lro({ env: {} }), tokenizer: "characters" },
    output: [
      { value: words(6_400) },
      { value: `${words(6_400)}.` },
      { value: JSON.stringify({ text: words(2_000) }) },
      { value: records(40) },
      { value: records(80) },
    ],
  },
  {
    name: "cut in place, in bytes and tokens",
    options: {
      mode: "truncate",
      threshold: { tokens: 200 },
      gates: [() => ({ bytes: 400, reason: "a gate" })],
    },
    output: { value: "日本語 ".repeat(900) },
  },
  {
    name: "a tool by its metadata",
    options: { include: ({ metadata }) => metadata?.["offload"] === true },
    output: [true, 1].map((offload) => ({ ...large, metadata: { offload } })),
  },
  {
    name: "overrides of one call",
    output: [
      { ...large, overrides: { enabled: false } },
      { ...large, overrides: { enabled: false } },
      { value: words(90), overrides: { threshold: { tokens: 50 }, form: "bare" } },
      { ...large, overrides: { threshold: { tokens: 9_999 } } },
    ],
  },
  {
    name: "no text, and an empty one",
    options: { threshold: { tokens: 0 } },
    output: [undefined, null, "", [], {}, 0].map((value) => ({ value })),
  },
  {
    name: "the store fails: nested records, cut to its limit",
    options: unstored,
    output: { value: outputsOf(60)["nested records"] },
  },
  {
    name: "the store fails: all of it would stay, and no room is left",
    options: { ...unstored, onStoreFailure: "inline" },
    output: [
      { ...large, conversation },
      { value: JSON.stringify(records(200)), conversation },
    ],
  },
  {
    name: "the store fails: a set behind an answer, cut",
    options: { ...unstored, selectResultSet: ({ artifact }) => artifact },
    output: { ...large, artifact: records(90) },
  },
  {
    name: "a store that gives nothing back",
    options: { ...unstored, store: broken(async () => await Promise.resolve(wrong(undefined))) },
    output: large,
  },
  {
    name: "a tokenizer that throws",
    options: { tokenizer: () => fails("tokenizer") },
    output: [large, { value: words(2_000, "more") }],
  },
  {
    name: "an offloader that was closed",
    output: large,
    policy: async (offloader, [given]) => {
      await offloader.close();
      return await offloader.offload({ toolName: "search", sessionId: "s", value: given?.value });
    },
  },
  { name: "a user's message: long", output: user, policy: asUser },
  {
    name: "a user's message: a store that fails",
    options: { store: { ...broken(), name: "memory" } },
    output: user,
    policy: asUser,
  },
  {
    name: "one over its own limit costs the others nothing",
    options: { turnBudget: { tokens: 2_000 } },
    output: [5_000, 1_500, 500].map((tokens, index) => ({
      value: words(tokens, `${index}`),
      toolCallId: `call_${index}`,
    })),
    policy: offloadAll,
  },
];

/** So many records, or lines, are somewhat more than the 4 MiB that are held. */
const COUNT = 9_000;
const LONG = "as long as the others, ".repeat(20);
const long = (id: number) => ({
  id,
  city: ["Rome", "Oslo"][id % 2],
  note: `visit ${id * 7919}, which was as long as the others`,
  more: LONG,
});
const line = (id: number): string => `line ${id} of a log that is ${LONG}\n`;
const many = (write: (id: number) => string) =>
  pieces(COUNT / 100, (part) =>
    Array.from({ length: 100 }, (_, at) => write(part * 100 + at)).join(""),
  );
const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
const failing = (index: number) => (index < COUNT ? long(index) : fails("the source went away"));

const STREAMS: readonly PipelineRow[] = [
  {
    name: "longer than is held, and cut in place",
    options: { threshold: { tokens: 200 }, mode: "truncate" },
    output: () => ({ value: many(line) }),
  },
  {
    name: "its source throws after more than is held",
    output: () => ({ value: pieces(COUNT + 1, failing) }),
  },
  {
    name: "aborted while nothing comes",
    output: () => ({ value: stuck, signal: AbortSignal.timeout(20) }),
  },
];

const window = { conversation: { tokens: 2_000, contextWindowTokens: 8_000 } };
/** So that small outputs leave, too. */
const LIMIT = { threshold: { tokens: 1600 } };
const PRESETS: readonly (readonly [string, OffloadOptions, size: number, given?: Given])[] = [
  ["lro", { preset: lro(), ...LIMIT }, 100],
  ["atlatl", { preset: atlatl(), ...LIMIT }, 400],
  ["mcpagent", { preset: mcpagent({ thresholdTokens: 1_000 }) }, 100],
  ["vectara", { preset: vectara({ onWarning: () => {} }) }, 100, window],
  ["metaCc", { preset: metaCc() }, 120],
];

const over = (name: string, size = 120): string => outputsOf(size)[name] ?? "";

const OF_PRESETS: readonly PipelineRow[] = [
  ...PRESETS.map(([name, options, size, given]) => ({
    name: `${name}: nested records`,
    options,
    output: { value: over("nested records", size), args: { query: "all", limit: 5 }, ...given },
  })),
  {
    name: "a preset for one tool beside another",
    options: { preset: lro(), ...LIMIT, perTool: { logs: { preset: metaCc() } } },
    output: [
      { toolName: "logs", value: over("a log") },
      { toolName: "logs", value: "a line" },
      { toolName: "rows", value: over("a JSON array") },
    ],
  },
];

export const pipeline: readonly Case[] = pipelineCases([...ROWS, ...STREAMS, ...OF_PRESETS]);
