import { performance } from "node:perf_hooks";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { OwnDrillIn } from "../../../src/core/drill-in/drill-in.js";
import type { GrepEngine } from "../../../src/core/engines/grep/engine.js";
import type { JqEngine } from "../../../src/core/engines/jq/engine.js";
import type { SqlEngine } from "../../../src/core/engines/sql/request.js";
import { codePlugin } from "../../../src/plugins/code/code.js";
import { resolveCode } from "../../../src/plugins/code/options.js";
import { extractTool } from "../../../src/presets/lro/extract.js";
import { CORE_TOOLS, shownParameters } from "../../../src/core/drill-in/tools.js";
import { OffloadError } from "../../../src/core/types/errors.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import type { DrillInToolNames } from "../../../src/core/types/result.js";
import {
  addRecords,
  CALL,
  createTestStore,
  drillInOver,
  SESSION_KEY,
  type TestStore,
  TOOL_NAMES,
} from "./stored-outputs.js";

const opened = openedOffloaders();
const KEYS = ["read", "grep", "jq", "extract"] as const;
function untilAborted(_: unknown, signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("stopped")));
  });
}

/** Drill-ins whose engines do not answer before the signal aborts, and count how often they are closed. */
function stuckDrillIn(
  store: TestStore,
  names: DrillInToolNames = {},
): { drillIn: OwnDrillIn; closed: () => number; warmed: readonly string[] } {
  let closed = 0;
  const warmed: string[] = [];
  const engineOf = (name: string): JqEngine & GrepEngine & SqlEngine => ({
    run: untilAborted,
    outline: () => Promise.resolve(undefined),
    warm: () => warmed.push(name),
    close: async () => {
      closed += 1;
    },
  });
  const engines = { jq: engineOf("jq"), grep: engineOf("grep"), sql: engineOf("sql") };
  const drillIn = drillInOver(store, {}, { names, engines });
  return { drillIn, closed: () => closed, warmed };
}

describe("drill-ins", () => {
  it.each(KEYS)("answer any arguments with text: %s", async (key) => {
    const store = createTestStore();
    addRecords(store, [{ a: 1 }]);
    const drillIn = drillInOver(store);
    await fc.assert(
      fc.asyncProperty(fc.anything({ withBigInt: true, withNullPrototype: true }), async (args) => {
        const answer = await drillIn.run(key, args, CALL);
        expect(answer.failed).toBe(true);
        expect(answer.tokens).toBeLessThanOrEqual(2000);
      }),
    );
  });

  it("answer deep, wide and huge values of any argument, mostly in few tokens", async () => {
    const store = createTestStore();
    const { id } = addRecords(store, [{ a: 1 }]);
    const drillIn = drillInOver(store);
    const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`k${index}`, index]),
    );
    for (const { key, schema } of [...CORE_TOOLS, extractTool]) {
      for (const name of Object.keys(schema.shape)) {
        for (const value of [deep, { a: deep }, wide, "x".repeat(300_000), -5, 1e300, true]) {
          const args = { id, file_path: id, filter: ".", pattern: "a", query: ".", [name]: value };
          const { failed, tokens } = await drillIn.run(key, args, CALL);
          expect(tokens).toBeLessThanOrEqual(failed ? 150 : 2000);
        }
      }
    }
    await drillIn.close();
  });

  it("turn faults of the store into an answer that says what to do, and nothing of what is within", async () => {
    const store = createTestStore();
    const { id } = store.add("text");
    const drillIn = drillInOver(store);
    for (const [failure, told] of [
      [new OffloadError("STORE_READ_FAILED", "10.0.0.1 refused"), /did not answer\. Try once more/],
      [new TypeError("10.0.0.1"), /internal fault/],
      [new OffloadError("ARTIFACT_EXPIRED", "10.0.0.1"), / is gone\. If a tool made it, call/],
    ] as const) {
      store.failure = failure;
      const answer = await drillIn.run("read", { id }, CALL);
      expect(answer).toMatchObject({ failed: true, text: expect.stringMatching(told) });
      expect(answer.text).not.toContain("10.0.0.1");
    }
  });

  it("say that an output is gone that code stored, and name no tool that there is not", async () => {
    const store = createTestStore();
    const artifact = store.add("text", { toolName: "put", args: undefined, title: "My rows" });
    const drillIn = drillInOver(store);
    drillIn.remember(artifact);
    store.nowMs = artifact.expiresAt;
    const { text } = await drillIn.run("read", { id: artifact.id }, CALL);
    expect(text).toMatch(/ expired at \S+Z\. If a tool made it, call that tool again\.$/);
  });

  it("reject with the signal's reason when it aborts, before or during a run", async () => {
    const store = createTestStore();
    const { id } = addRecords(store, [1]);
    const { drillIn } = stuckDrillIn(store);
    const reason = new Error("the user left");
    await expect(
      drillIn.run("read", { id }, { sessionKey: SESSION_KEY, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    const controller = new AbortController();
    const running = drillIn.run(
      "jq",
      { id, filter: "." },
      { sessionKey: SESSION_KEY, signal: controller.signal },
    );
    setImmediate(() => controller.abort(reason));
    await expect(running).rejects.toBe(reason);
  });

  it("close the engines that they use, and nothing when none was started", async () => {
    const { drillIn, closed } = stuckDrillIn(createTestStore());
    await drillIn.close();
    expect(closed()).toBe(3);
    await expect(drillInOver(createTestStore()).close()).resolves.toBeUndefined();
    const sql = Promise.reject(new Error("no module"));
    const without = drillInOver(createTestStore(), {}, { engines: { sql } });
    await expect(without.close()).resolves.toBeUndefined();
  });
});

describe("warming up", () => {
  beforeEach(() => {
    vi.spyOn(performance, "eventLoopUtilization").mockReturnValue({
      idle: 1,
      active: 0,
      utilization: 0,
    });
  });

  afterEach(() => vi.restoreAllMocks());

  it("starts the engines of the tools that the agent has, and no others, when nobody waits", async () => {
    const store = createTestStore();
    const warmedBy = (names: DrillInToolNames): readonly string[] => {
      const { drillIn, warmed } = stuckDrillIn(store, names);
      drillIn.warm();
      drillIn.warm();
      expect(warmed).toEqual([]);
      return warmed;
    };
    const started = [
      warmedBy({ read: "read_tool_output" }),
      warmedBy({ grep: "grep_tool_output" }),
      warmedBy({ ...TOOL_NAMES, sql: "sql_tool_output" }),
    ];
    await vi.waitFor(() => expect(started).toEqual([[], ["grep"], ["grep", "jq", "sql"]]), 10_000);
  });

  it("that fails costs no output: what was to be stored is stored", async () => {
    const fail = (): never => {
      throw new Error("no process can be started");
    };
    const { offloader } = opened({
      plugins: [
        codePlugin(resolveCode({}), () => ({ run: fail, warm: fail, close: async () => {} })),
      ],
    });
    const value = Array.from({ length: 2000 }, (_, id) => ({ id, city: "Rome" }));
    const answered = await offloader.offload({ toolName: "t", value, sessionId: "s" });
    expect(answered).toMatchObject({ storedArtifact: { recordCount: 2000 } });
  });
});

const TOOLS = [...CORE_TOOLS, extractTool];

describe("tool schemas", () => {
  it("show a type of every argument", () => {
    for (const { schema } of TOOLS)
      for (const field of Object.values(shownParameters(schema)["properties"] ?? {}))
        expect(field).toHaveProperty("type", expect.stringMatching(/^[a-z]+$/));
  });

  it("take every argument in the spellings of models, and refuse what means nothing", () => {
    const schemas = Object.fromEntries(TOOLS.map(({ key, schema }) => [key, schema]));
    const accepts = (key: string, args: object): boolean | undefined =>
      schemas[key]?.safeParse({ id: "x", filter: ".", pattern: "x", file_path: "x", ...args })
        .success;
    for (const start of [1, -1, "1", "-1", "", null, undefined]) {
      expect(accepts("read", { start_line: start })).toBe(true);
    }
    for (const start of [1.5, "many", true, {}, Infinity]) {
      expect(accepts("read", { start_line: start })).toBe(false);
    }
    for (const raw of [true, "False", "true", null]) expect(accepts("jq", { raw })).toBe(true);
    for (const raw of ["yes", 1, {}]) expect(accepts("jq", { raw })).toBe(false);
    for (const args of [{}, "{}", null]) expect(accepts("jq", { args })).toBe(true);
    for (const args of [[], "[]", "{", 1]) expect(accepts("jq", { args })).toBe(false);
    for (const query of [".", null, undefined]) expect(accepts("extract", { query })).toBe(true);
    expect(accepts("extract", { query: 1 })).toBe(false);
  });
});
