import { humanMessages } from "../src/adapters/langchain/human-messages/index.js";
import { PassThrough } from "node:stream";

import { tool } from "@langchain/core/tools";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { createOffloadProxy, offloadServer } from "../src/adapters/mcp/index.js";
import { applyOverrides, resolveOptions } from "../src/core/options/resolve.js";
import { optionsSchema, overridesSchema } from "../src/core/options/schema.js";
import {
  createOffloader,
  memoryStore,
  offloadCallbackHandler,
  offloadMiddleware,
  offloadNode,
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
import { checkedOptions } from "../src/util/option-rules.js";
import { openedOffloaders } from "./opened-offloaders.js";

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

const refusal = expect.objectContaining({
  code: "INVALID_OPTIONS",
  message: expect.stringMatching(/use an object of options|expected object/),
});

const factories: readonly (readonly [string, (options: never) => unknown])[] = [
  ["createOffloader", createOffloader],
  ["createOffloadProxy", createOffloadProxy],
  ["offloadServer", (options) => offloadServer({} as never, options)],
  ["offloadNode", (options) => offloadNode(async () => ({}), options)],
  ["humanMessages", humanMessages],
  ["offloadMiddleware", offloadMiddleware],
  ["offloadToolNode", (options) => offloadToolNode([echo], options)],
  ["withOffload", (options) => withOffload(echo, options)],
];

describe("a factory that is given no object", () => {
  it.each(factories)("says so: %s", async (_, make) => {
    for (const options of [null, 7, "x", true]) {
      await expect(async () => await make(options as never)).rejects.toThrow(refusal);
    }
  });

  it("says so of a proxy's server", () => {
    const servers: unknown[] = [undefined, { command: "cat", cwd: 5 }, { command: "cat", env: 5 }];
    for (const headers of ["X", { "A b": "x" }, { X: "a\nb" }])
      servers.push({ url: "https://host/", headers });
    for (const upstream of servers)
      expect(() => createOffloadProxy({ upstream } as never)).toThrow(/must be.* one line of/);
  });

  it("says so of a stream, and names every option where one is unknown", () => {
    const upstream = { command: "cat" };
    const make = (given: object) => () => createOffloadProxy({ upstream, ...given });
    expect(make({ input: 5 })).toThrow("use a readable stream");
    expect(make({ output: {} })).toThrow("use a writable stream");
    expect(make({ outptu: 5 })).toThrow(/there are .*threshold.*maxMessageBytes/);
  });
});

const open = openedOffloaders();

describe("an option that is undefined", () => {
  it("is gone from what the rules give back, at every depth", () => {
    const options = { threshold: { tokens: 5, bytes: undefined }, mode: undefined };
    expect(checkedOptions("t", optionsSchema, { ...options, typo: undefined })).toStrictEqual({
      threshold: { tokens: 5 },
    });
    const overrides = { enabled: undefined, threshold: { bytes: 1, tokens: undefined } };
    expect(checkedOptions("t", overridesSchema, overrides)).toStrictEqual({
      threshold: { bytes: 1 },
    });
    const resolved = resolveOptions();
    expect(applyOverrides(resolved, { threshold: undefined })).toEqual(resolved);
  });

  it("leaves the limits of drill-ins, the agent's limits and the tools' names as they are (C5)", async () => {
    const { offloader } = open({
      drillIn: { maxAnswerTokens: undefined, timeoutMs: undefined, names: { jq: undefined } },
      threshold: { tokens: 90_000 },
      perTool: { d: { threshold: undefined, fileFormat: undefined }, e: undefined },
    } as never);
    expect(offloader.options.drillInLimits).toEqual(resolveOptions().drillInLimits);
    expect(offloader.options.toolNames.jq).toBe("jq_tool_output");
    const value = "word ".repeat(5_000);
    for (const toolName of ["d", "e", "f"]) {
      const result = await offloader.offload({ toolName, value, sessionId: "s" });
      expect(result.outcome).toBe("inline");
    }
  });
});
