import { humanMessages } from "../src/adapters/langchain/human-messages/index.js";
import { PassThrough } from "node:stream";

import { tool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloadProxy } from "../src/adapters/mcp/proxy.js";
import {
  createDrillInTools,
  createOffloader,
  memoryStore,
  offloadCallbackHandler,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
} from "../src/index.js";
import {
  atLeast,
  contextShare,
  describeAsEnvelope,
  describeAsMessage,
  headroom,
  mcpagent,
  metaCc,
  threshold,
  vectara,
} from "../src/presets/index.js";
import { langgraphStore } from "../src/stores/langgraph/index.js";
import { postgresStore } from "../src/stores/postgres/index.js";
import { redisStore } from "../src/stores/redis/index.js";
import { s3Store } from "../src/stores/s3/index.js";

type Kind = "count" | "size" | "fraction" | "timer";

const echo = tool(() => "x", { name: "echo", description: "Echoes.", schema: z.object({}) });
const share = {
  fraction: 0.5,
  minBytes: 0,
  maxBytes: Number.MAX_SAFE_INTEGER,
  onWarning: () => {},
};
const client = { sendCommand: () => {}, send: () => {}, connect: () => {} } as never;
const proxy = (given: object): unknown => {
  const upstream = { command: process.execPath, args: ["-e", "0"] };
  const streams = { input: new PassThrough(), output: new PassThrough() };
  return createOffloadProxy({ upstream, ...streams, ...given }).close();
};

/** Numbers among options, by their paths. */
type Numbers = Partial<Readonly<Record<Kind, readonly string[]>>>;
type Make = (options: never) => unknown;

/** Those of the pipeline, which several factories take. */
const OF_PIPELINE: Numbers = {
  size: ["threshold.tokens", "threshold.bytes", "turnBudget.tokens", "perTool.t.threshold.tokens"],
  fraction: ["turnBudget.fraction"],
  count: [
    "contextWindowTokens",
    "describe.maxTokens",
    "retention.ttlMs",
    "retention.maxSessionBytes",
    "maxOutputBytes",
    "perTool.t.retention.ttlMs",
    "drillIn.maxAnswerTokens",
  ],
  timer: ["drillIn.timeoutMs", "drillIn.sql.maxMemoryMb"],
};
const TOKENS: Numbers = { size: ["threshold.tokens"] };
const TIMEOUT: Numbers = { timer: ["timeoutMs"] };
const BYTES = ["minBytes", "maxBytes"];
const ofGiven = (make: (given: object) => unknown): Make => make;

/** What takes options, and which of them are numbers. */
const FACTORIES: Readonly<Record<string, readonly [Make, Numbers]>> = {
  createOffloader: [createOffloader, OF_PIPELINE],
  offloadMiddleware: [offloadMiddleware, OF_PIPELINE],
  createDrillInTools: [createDrillInTools, OF_PIPELINE],
  withOffload: [(given) => withOffload(echo, given), TOKENS],
  offloadToolNode: [(given) => offloadToolNode([echo], given), TOKENS],
  offloadCallbackHandler: [offloadCallbackHandler, TOKENS],
  humanMessages: [humanMessages, { count: ["threshold.tokens"] }],
  memoryStore: [memoryStore, { count: ["maxBytes"] }],
  langgraphStore: [
    (given) => langgraphStore(new InMemoryStore(), given),
    { ...TIMEOUT, count: ["chunkBytes"] },
  ],
  redisStore: [
    ofGiven((given) => redisStore({ client, ...given })),
    { ...TIMEOUT, count: ["maxBytes"] },
  ],
  s3Store: [ofGiven((given) => s3Store({ client, bucket: "b", ...given })), TIMEOUT],
  postgresStore: [ofGiven((given) => postgresStore({ pool: client, ...given })), TIMEOUT],
  createOffloadProxy: [ofGiven(proxy), { count: ["maxMessageBytes"] }],
  threshold: [threshold, { size: ["tokens", "bytes"] }],
  atLeast: [atLeast, { count: ["tokens"] }],
  contextShare: [
    ofGiven((given) => contextShare({ ...share, ...given })),
    { fraction: ["fraction"], size: BYTES },
  ],
  headroom: [
    ofGiven((given) => headroom({ fraction: 1, ...given })),
    { fraction: ["fraction", "summarizationFraction"], size: ["minBytes"] },
  ],
  describeAsEnvelope: [describeAsEnvelope, { size: ["shapeDepth"] }],
  describeAsMessage: [describeAsMessage, { size: ["previewCharacters"] }],
  mcpagent: [mcpagent, { count: ["thresholdTokens"] }],
  metaCc: [metaCc, { size: ["inlineThresholdBytes"] }],
  vectara: [
    vectara,
    { fraction: ["contextFraction", "headroomFraction", "summarizationFraction"], size: BYTES },
  ],
};

/** Each option by itself, by its path. */
const table = Object.entries(FACTORIES).flatMap(([name, [make, numbers]]) =>
  Object.entries(numbers).flatMap(([kind, paths]) =>
    paths.map((path) => {
      const given = (value: unknown): unknown =>
        path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
      const made = (value: unknown): unknown => make(given(value) as never);
      return [`${name} ${path}`, kind as Kind, made] as const;
    }),
  ),
);

const NEVER: readonly unknown[] = [
  Number.NaN,
  Infinity,
  -Infinity,
  -1,
  "5",
  null,
  true,
  {},
  [5],
  5n,
];
const REFUSED: Record<Kind, readonly unknown[]> = {
  count: [...NEVER, 0, 1.5, 2 ** 53],
  size: [...NEVER, 1.5, 2 ** 53],
  fraction: [...NEVER, 1.01],
  timer: [...NEVER, 0, 1.5, 2 ** 31],
};

describe("a number among the options", () => {
  it.each(table)(
    "%s is refused when it is none that is allowed (item 12)",
    async (_, kind, make) => {
      for (const value of REFUSED[kind]) {
        const made = Promise.resolve().then(() => make(value));
        const error: unknown = await made.then(
          () => `took ${String(value)}`,
          (error: unknown) => error,
        );
        expect(error).toMatchObject({ code: "INVALID_OPTIONS" });
        // What is wrong, and what is allowed.
        const { message } = error as Error;
        expect(message).toMatch(/use (a whole number from|a number|\{ tokens: …)/);
        if (typeof value === "number") expect(message).toContain(String(value));
      }
    },
  );

  it.each(table)("%s is not given when it is undefined (C5)", async (name, _, make) => {
    const isNeeded = /^(contextShare|headroom fraction|atLeast)|threshold\b|turnBudget/;
    if (isNeeded.test(name)) return;
    await make(undefined);
  });
});
