import { describe, expect, it } from "vitest";

import { offloadMiddleware } from "../../../src/index.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import { code } from "../../../src/plugins/code/code.js";
import { OffloadError } from "../../../src/core/types/errors.js";
import type {
  OffloadOptions,
  PerToolOptions,
  ResolvedToolOptions,
} from "../../../src/core/options/options.js";
import { applyOverrides, resolveOptions } from "../../../src/core/options/resolve.js";
import {
  atlatl,
  cleanupTool,
  lro,
  mcpagent,
  metaCc,
  threshold,
  vectara,
} from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { media } from "../../../src/plugins/media/media.js";

/** The parts that are plain data. */
const dataOf = (options: OffloadOptions): object =>
  JSON.parse(JSON.stringify({ ...resolveOptions(options), store: "" }));

/** Names of the tools that an agent has. */
const toolNamesOf = (options: OffloadOptions): object =>
  createOffloader({ store: memoryStore(), ...options }).options.toolNames;

describe("options", () => {
  it("default to the LRO specification", () => {
    const resolved = resolveOptions();
    expect(resolved.thresholdTokens).toBe(1600);
    expect(resolved.ttlMs).toBe(3_600_000);
    expect(resolved.store.name).toBe("file");
    expect(toolNamesOf({})).toEqual({
      read: "read_tool_output",
      grep: "grep_tool_output",
      jq: "jq_tool_output",
      sql: "sql_tool_output",
    });
    expect(toolNamesOf({ preset: lro() })).toEqual({ ...toolNamesOf({}), extract: "lro_extract" });
    const plugins = [{ name: "extract" }];
    expect(dataOf({ preset: lro() })).toEqual({
      ...dataOf({}),
      plugins,
      describe: { form: "auto" },
    });
  });

  it("of a preset take an environment that is no plain object, as that of a process is", () => {
    const env: Record<string, string> = Object.create({ constructor: function Environment() {} });
    env["ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS"] = "7";
    expect(resolveOptions({ preset: lro({ env }) }).thresholdTokens).toBe(7);
  });

  it("take the threshold at the top, for all tools and for one", () => {
    const resolved = resolveOptions({
      threshold: { tokens: 70 },
      mode: "truncate",
      onStoreFailure: "inline",
      gates: [threshold({ bytes: 9 })],
      perTool: {
        own: { threshold: { tokens: 5 } },
        both: { threshold: { tokens: 6 }, mode: "store" },
        none: { fileFormat: "original" },
      },
    });
    const { own, both, none } = Object.fromEntries(resolved.perTool);
    expect([resolved, own, both, none].map((one) => one?.thresholdTokens)).toEqual([70, 5, 6, 70]);
    expect([resolved, own, both, none].map((one) => one?.gates.length)).toEqual([2, 2, 2, 2]);
    expect([own?.mode, own?.onStoreFailure, both?.mode]).toEqual(["truncate", "inline", "store"]);
  });

  describe("over a preset", () => {
    it("T10: are merged key by key, at any depth, and lists are replaced", () => {
      const design = vectara();
      const below: OffloadOptions = {
        preset: { ...design, exclude: ["a", "b"] },
        retention: { maxTotalBytes: 9 },
      };
      const own: OffloadOptions = {
        preset: below,
        exclude: ["c"],
        retention: { refreshOnRead: true },
        drillIn: { timeoutMs: 5, tools: [cleanupTool()] },
        describe: { form: "bare" },
        plugins: [media()],
      };
      const resolved = resolveOptions({ preset: own });
      expect(resolved).toMatchObject({
        exclude: ["c"],
        maxTotalBytes: 9,
        refreshOnRead: true,
        ttlMs: 30 * 24 * 3_600_000,
        sql: undefined,
        drillInLimits: { timeoutMs: 5 },
        describe: { form: "bare", describer: design.describe?.describer },
      });
      expect(resolved.toolShapes).toHaveLength(1);
    });

    it("switch plugins off for one tool beside those that it switches off", () => {
      const preset = { perTool: { send: { plugins: { references: false } } } };
      const resolved = resolveOptions({
        preset,
        perTool: { send: { plugins: { redact: false } } },
      });
      const ofPlugins = { references: false, redact: false };
      expect(resolved.perTool.get("send")?.ofPlugins).toEqual(ofPlugins);
    });

    it("hold beside its gates, so that the smallest limit holds, and in place of its threshold", () => {
      const beside = resolveOptions({ preset: vectara(), threshold: { tokens: 8 } });
      expect([beside.thresholdTokens, beside.gates.length]).toEqual([8, 3]);
      const instead = resolveOptions({ preset: atlatl(), threshold: { tokens: 8 } });
      expect([instead.thresholdTokens, instead.gates.length]).toEqual([8, 1]);
      expect(resolveOptions({ preset: lro() }).textGates).toHaveLength(1);
      expect(resolveOptions({ preset: lro(), gates: [] }).gates).toEqual([]);
    });

    it.each<[string, object]>([
      ["are not the preset itself", lro()],
      ["are not spread from it", { ...vectara(), threshold: { tokens: 5 } }],
    ])("%s: that is refused", (_, given) => {
      for (const refusing of [resolveOptions, offloadMiddleware])
        expect(() => refusing(given)).toThrow("as preset: …");
      expect(() => resolveOptions({ preset: { ...given, mode: "truncate" } })).not.toThrow();
    });

    it("are told with their place in it when they are wrong", () => {
      const preset = { preset: { describe: { forn: "bare" } } } as OffloadOptions;
      expect(() => resolveOptions({ preset })).toThrow("→ at preset.preset.describe");
    });
  });

  it.each([
    [{ treshold: { tokens: 5 } }, 'There is no option "treshold"; there are enabled, threshold,'],
    [
      { drillIn: { names: { reed: "x" } } },
      '"reed"; there are read, grep, jq, sql.\n  → at drillIn',
    ],
    [{ perTool: { t: { fileFormt: 1 } } }, /"fileFormt"; .* fileFormat, .*\n {2}→ at perTool\.t/],
    [{ perTool: { t: { plugins: { references: true } } } }, "is not in plugins"],
    [{ describe: { xyzzy: 1 } }, 'There is no option "xyzzy"; there are form'],
  ])("tell the names that there are beside one that is unknown: %j", (given, told) => {
    expect(() => createOffloader(given as OffloadOptions)).toThrow(told);
  });

  it.each<readonly [object, string]>([
    [{ drillIn: { sql: true } }, 'true; use "auto", false, or { maxMemoryMb }'],
    [{ drillIn: { sql: { maxMemoryMb: 63 } } }, "63; use a whole number from 64"],
    [{ plugins: [code as never] }, "a plugin"],
    [{ tokenizer: "gpt" }, '"gpt"; use "o200k_base", "cl100k_base", "characters" or a function'],
    [{ drillIn: { names: { read: true } } }, "true; use 1 to 64 letters, digits, _ or -, or false"],
  ])("tell what is to be given instead: %j", (given, told) => {
    expect(() => resolveOptions(given as never)).toThrow(told);
  });

  describe("of one tool", () => {
    const resolveTool = (
      own: PerToolOptions,
      agent: OffloadOptions = {},
    ): ResolvedToolOptions | undefined =>
      resolveOptions({ ...agent, perTool: { search: own } }).perTool.get("search");
    const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "900" };

    it.each<[string, OffloadOptions, number]>([
      ["the options", { threshold: { tokens: 4000 } }, 4000],
      ["the environment", { preset: lro({ env }) }, 900],
      ["nobody", {}, 1600],
    ])("have the threshold that %s set, unless they state a limit", (_, agent, tokens) => {
      expect(resolveTool({ describe: { form: "bare" } }, agent)?.thresholdTokens).toBe(tokens);
      const other = resolveTool({ onStoreFailure: "inline" }, agent);
      expect([other?.thresholdTokens, other?.gates.length]).toEqual([tokens, 1]);
      const own = resolveTool({ threshold: { tokens: 77 } }, agent);
      expect([own?.thresholdTokens, own?.gates.length]).toEqual([77, 1]);
      expect([own?.textGates, other?.textGates?.length]).toEqual([
        undefined,
        tokens === 1600 ? 1 : undefined,
      ]);
      const gated = resolveTool({ gates: [threshold({ bytes: 5 })] }, agent);
      expect(gated?.gates).toHaveLength(tokens === 1600 ? 1 : 2);
      expect(gated?.textGates).toBeUndefined();
    });

    it("with a published design have nothing of the agent's beside it, and what they state themselves", () => {
      const agent: OffloadOptions = {
        preset: metaCc(),
        threshold: { tokens: 5 },
        contextWindowTokens: 9000,
        enabled: false,
      };
      const beside = resolveTool({ preset: lro(), retention: { refreshOnRead: true } }, agent);
      expect(beside).toMatchObject({
        enabled: false,
        thresholdTokens: 1600,
        ttlMs: 3_600_000,
        refreshOnRead: true,
        onStoreFailure: "truncate",
        describe: { form: "auto" },
        contextWindowTokens: 9000,
      });
      expect(beside?.textGates).toHaveLength(1);
      expect(resolveTool({ preset: lro({ env }) }, agent)?.thresholdTokens).toBe(900);
      expect(resolveTool({ preset: vectara({ tools: [] }) })?.mode).toBe("truncate");
      const nested = { preset: { preset: vectara(), fileFormat: "lro" as const } };
      expect(resolveTool(nested, agent)).toMatchObject({ mode: "store", fileFormat: "lro" });
      expect(resolveTool(nested, agent)?.gates).toHaveLength(2);
    });

    it("with defaults of one's own keep the agent's limits, unless those state some", () => {
      const agent = { threshold: { tokens: 5 }, gates: [threshold({ bytes: 5 })] };
      const plain = resolveTool({ preset: { mode: "truncate" } }, agent);
      expect([plain?.mode, plain?.gates.length]).toEqual(["truncate", 2]);
      const limited = resolveTool({ preset: { threshold: { bytes: 9 } } }, agent);
      expect([limited?.thresholdTokens, limited?.gates.length]).toEqual([undefined, 1]);
    });

    it("leave out what is the agent's of a preset, and refuse it otherwise", () => {
      const agent = { store: memoryStore() };
      const resolved = resolveOptions({ ...agent, perTool: { search: { preset: mcpagent() } } });
      expect(resolved.perTool.get("search")?.thresholdTokens).toBe(9999);
      expect([resolved.store, resolved.plugins]).toEqual([agent.store, []]);
      for (const [part, value] of Object.entries({ ...agent, turnBudget: { tokens: 5 } })) {
        expect(() => resolveTool({ preset: vectara(), [part]: value })).toThrow(
          new RegExp(`no option "${part}"[^]*→ at perTool\\.search`),
        );
      }
    });
  });

  it("offer no tools when drill-in is off, and store with `auto` only for an agent that can read", () => {
    expect(toolNamesOf({ drillIn: false })).toEqual({});
    const modeOf = (mode: "auto" | "store", own: OffloadOptions): string =>
      resolveOptions({ mode, ...own }).mode;
    expect([modeOf("auto", {}), modeOf("auto", { drillIn: false })]).toEqual(["store", "truncate"]);
    expect(modeOf("store", { drillIn: false })).toBe("store");
    const names = { read: false, grep: false, jq: false } as const;
    expect(modeOf("auto", { drillIn: { names, sql: {} } })).toBe("store");
    expect(modeOf("auto", { drillIn: { names, sql: false } })).toBe("truncate");
  });

  it("of one run have its threshold in place of the other, beside the gates that are stated", () => {
    const options = { threshold: { tokens: 5 }, gates: [threshold({ bytes: 9 })] };
    const ofRun = applyOverrides(resolveOptions(options), { threshold: { tokens: 7 } });
    expect(ofRun).toMatchObject({ thresholdTokens: 7, shortBytes: 0, textGates: undefined });
    expect(ofRun.gates).toHaveLength(2);
    expect(ofRun.gates[1]).toBe(options.gates[0]);
  });

  it("refuse an offloader beside its options", () => {
    const store = memoryStore();
    const both = { offloader: createOffloader({ store }), store };
    expect(() => offloadMiddleware(both as never)).toThrow(OffloadError);
  });

  it.each<[string, object, RegExp]>([
    ["an unknown tokenizer", { tokenizer: "gpt9" }, /at tokenizer/],
    ["a store that is none", { store: { put() {} } }, /fileStore\(\)/],
    ["a tool name that models refuse", { drillIn: { names: { read: "read it" } } }, /names\.read/],
    ["two tools of one name", { drillIn: { names: { read: "x", grep: "x" } } }, /different names/],
  ])("refuse %s and say where it stands", (_, options, message) => {
    const resolve = (): unknown => createOffloader(options);
    expect(resolve).toThrow(OffloadError);
    expect(resolve).toThrow(message);
  });
});
