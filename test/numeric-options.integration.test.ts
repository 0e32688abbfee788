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

/** Makes something with one numeric option. */
type Make = (value: never) => unknown;
type Kind = "count" | "size" | "fraction" | "timer";

const echo = tool(() => "x", { name: "echo", description: "Echoes.", schema: z.object({}) });
const share = { fraction: 0.5, minBytes: 0, maxBytes: 9, onWarning: () => {} };
const client = { sendCommand: () => {}, send: () => {}, connect: () => {} } as never;
const proxy: Make = (maxMessageBytes) => {
  const server = { command: process.execPath, args: ["-e", "0"] };
  const streams = { input: new PassThrough(), output: new PassThrough() };
  return createOffloadProxy({ upstream: server, ...streams, maxMessageBytes }).close();
};
/** An option of the pipeline, by its path, through every factory that takes them. */
const ofWalk = (path: string, kind: Kind): [string, Kind, Make][] =>
  [createOffloader, offloadMiddleware, createDrillInTools].map((factory) => [
    `${factory.name} ${path}`,
    kind,
    (value) =>
      factory(
        path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object,
      ),
  ]);

const table: [string, Kind, Make][] = [
  ...ofWalk("threshold.tokens", "size"),
  ...ofWalk("threshold.bytes", "size"),
  ...ofWalk("turnBudget.tokens", "size"),
  ...ofWalk("turnBudget.fraction", "fraction"),
  ...ofWalk("contextWindowTokens", "count"),
  ...ofWalk("describe.maxTokens", "count"),
  ...ofWalk("retention.ttlMs", "count"),
  ...ofWalk("retention.maxSessionBytes", "count"),
  ...ofWalk("maxOutputBytes", "count"),
  ...ofWalk("perTool.t.threshold.tokens", "size"),
  ...ofWalk("perTool.t.retention.ttlMs", "count"),
  ...ofWalk("drillIn.maxAnswerTokens", "count"),
  ...ofWalk("drillIn.timeoutMs", "timer"),
  ...ofWalk("drillIn.sql.maxMemoryMb", "timer"),
  ["withOffload threshold", "size", (tokens) => withOffload(echo, { threshold: { tokens } })],
  [
    "offloadToolNode threshold",
    "size",
    (tokens) => offloadToolNode([echo], { threshold: { tokens } }),
  ],
  ["memoryStore maxBytes", "count", (maxBytes) => memoryStore({ maxBytes })],
  [
    "langgraphStore chunkBytes",
    "count",
    (chunkBytes) => langgraphStore(new InMemoryStore(), { chunkBytes }),
  ],
  [
    "langgraphStore timeoutMs",
    "timer",
    (timeoutMs) => langgraphStore(new InMemoryStore(), { timeoutMs }),
  ],
  ["redisStore maxBytes", "count", (maxBytes) => redisStore({ client, maxBytes })],
  ["redisStore timeoutMs", "timer", (timeoutMs) => redisStore({ client, timeoutMs })],
  ["s3Store timeoutMs", "timer", (timeoutMs) => s3Store({ client, bucket: "b", timeoutMs })],
  ["postgresStore timeoutMs", "timer", (timeoutMs) => postgresStore({ pool: client, timeoutMs })],
  ["createOffloadProxy maxMessageBytes", "count", proxy],
  [
    "offloadCallbackHandler threshold",
    "size",
    (tokens) => offloadCallbackHandler({ threshold: { tokens } }),
  ],
  ["humanMessages threshold", "count", (tokens) => humanMessages({ threshold: { tokens } })],
  ["threshold tokens", "size", (tokens) => threshold({ tokens })],
  ["threshold bytes", "size", (bytes) => threshold({ bytes })],
  ["atLeast tokens", "count", (tokens) => atLeast({ tokens })],
  ["contextShare fraction", "fraction", (fraction) => contextShare({ ...share, fraction })],
  [
    "contextShare minBytes",
    "size",
    (minBytes) => contextShare({ ...share, maxBytes: Number.MAX_SAFE_INTEGER, minBytes }),
  ],
  ["contextShare maxBytes", "size", (maxBytes) => contextShare({ ...share, maxBytes })],
  ["headroom fraction", "fraction", (fraction) => headroom({ fraction })],
  ["headroom minBytes", "size", (minBytes) => headroom({ fraction: 1, minBytes })],
  [
    "headroom summarizationFraction",
    "fraction",
    (summarizationFraction) => headroom({ fraction: 1, summarizationFraction }),
  ],
  ["describeAsEnvelope shapeDepth", "size", (shapeDepth) => describeAsEnvelope({ shapeDepth })],
  [
    "describeAsMessage previewCharacters",
    "size",
    (previewCharacters) => describeAsMessage({ previewCharacters }),
  ],
  [
    "mcpagent thresholdTokens",
    "count",
    (thresholdTokens) => ({ preset: mcpagent({ thresholdTokens }) }),
  ],
  [
    "metaCc inlineThresholdBytes",
    "size",
    (inlineThresholdBytes) => ({ preset: metaCc({ inlineThresholdBytes }) }),
  ],
  [
    "vectara contextFraction",
    "fraction",
    (contextFraction) => ({ preset: vectara({ contextFraction }) }),
  ],
  ["vectara minBytes", "size", (minBytes) => ({ preset: vectara({ minBytes }) })],
  ["vectara maxBytes", "size", (maxBytes) => ({ preset: vectara({ maxBytes }) })],
  [
    "vectara headroomFraction",
    "fraction",
    (headroomFraction) => ({ preset: vectara({ headroomFraction }) }),
  ],
  [
    "vectara summarizationFraction",
    "fraction",
    (summarizationFraction) => ({ preset: vectara({ summarizationFraction }) }),
  ],
];

const NEVER = [Number.NaN, Infinity, -Infinity, -1, "5", null, true, {}, [5], 5n];
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
        const made = Promise.resolve().then(() => make(value as never));
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
    const isNeeded =
      /^(contextShare (fraction|minBytes|maxBytes)|headroom fraction|threshold|atLeast)|humanMessages|HumanMessages| threshold|\.threshold\.|turnBudget|aging\.trigger/i;
    if (isNeeded.test(name)) return;
    await make(undefined as never);
  });
});
