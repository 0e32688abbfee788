import { humanMessages } from "../src/adapters/langchain/human-messages/index.js";
import { PassThrough } from "node:stream";

import { tool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloadProxy } from "../src/adapters/mcp/proxy.js";
import {
  createOffloader,
  memoryStore,
  offloadCallbackHandler,
  offloadMiddleware,
  offloadToolNode,
  withOffload,
} from "../src/index.js";
import {
  contextShare,
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
const whole = { fraction: 1 };
const proxy = (options: object): unknown => {
  const server = { command: process.execPath, args: ["-e", "0"] };
  const streams = { input: new PassThrough(), output: new PassThrough() };
  return createOffloadProxy({ upstream: server, ...streams, ...options }).close();
};
/** Options of one function by their paths, each alone or with the others that it needs. */
const of = (
  name: string,
  make: (options: never) => unknown,
  kinds: Readonly<Record<string, Kind>>,
  others: object = {},
): [string, Kind, Make][] =>
  Object.entries(kinds).map(([path, kind]) => [
    `${name} ${path}`,
    kind,
    (value) => {
      const own = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      return make({ ...others, ...(own as object) } as never);
    },
  ]);

const PIPELINE = {
  "threshold.tokens": "size",
  "threshold.bytes": "size",
  "turnBudget.tokens": "size",
  "turnBudget.fraction": "fraction",
  contextWindowTokens: "count",
  "describe.maxTokens": "count",
  "retention.ttlMs": "count",
  "retention.maxSessionBytes": "count",
  maxOutputBytes: "count",
  "perTool.t.threshold.tokens": "size",
  "perTool.t.retention.ttlMs": "count",
  "drillIn.maxAnswerTokens": "count",
  "drillIn.timeoutMs": "timer",
  "drillIn.sql.maxMemoryMb": "timer",
} as const;
const THRESHOLD = { "threshold.tokens": "size" } as const;
const TIMER = { timeoutMs: "timer" } as const;
const base = new InMemoryStore();
const limits = { contextFraction: "fraction", minBytes: "size", maxBytes: "size" } as const;
const parts = { headroomFraction: "fraction", summarizationFraction: "fraction" } as const;

const table = [
  ...of("createOffloader", createOffloader, PIPELINE),
  ...of("offloadMiddleware", offloadMiddleware, PIPELINE),
  ...of("withOffload", (options) => withOffload(echo, options), THRESHOLD),
  ...of("offloadToolNode", (options) => offloadToolNode([echo], options), THRESHOLD),
  ...of("offloadCallbackHandler", offloadCallbackHandler, THRESHOLD),
  ...of("humanMessages", humanMessages, { "threshold.tokens": "count" }),
  ...of("memoryStore", memoryStore, { maxBytes: "count" }),
  ...of("langgraphStore", (options) => langgraphStore(base, options), TIMER),
  ...of("redisStore", redisStore, TIMER, { client }),
  ...of("s3Store", s3Store, TIMER, { client, bucket: "b" }),
  ...of("postgresStore", postgresStore, TIMER, { pool: client }),
  ...of("createOffloadProxy", proxy, { maxMessageBytes: "count" }),
  ...of("threshold", threshold, { tokens: "size", bytes: "size" }),
  ...of("contextShare", contextShare, { fraction: "fraction", maxBytes: "size" }, share),
  ...of("contextShare", contextShare, { minBytes: "size" }, { ...share, maxBytes: 2 ** 53 - 1 }),
  ...of("headroom", headroom, { fraction: "fraction" }),
  ...of("headroom", headroom, { minBytes: "size", summarizationFraction: "fraction" }, whole),
  ...of("mcpagent", mcpagent, { thresholdTokens: "count" }),
  ...of("metaCc", metaCc, { inlineThresholdBytes: "size" }),
  ...of("vectara", vectara, { ...limits, ...parts }),
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
      /^(contextShare (fraction|minBytes|maxBytes)|headroom fraction|threshold)|humanMessages|HumanMessages| threshold|\.threshold\.|turnBudget|aging\.trigger/i;
    if (isNeeded.test(name)) return;
    await make(undefined as never);
  });
});
