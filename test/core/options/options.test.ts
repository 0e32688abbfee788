import { describe, expect, it } from "vitest";

import { codeEngine } from "../../../src/plugins/code/engine.js";
import { OffloadError } from "../../../src/core/types/errors.js";
import type { OffloadOptions, OwnToolOptions } from "../../../src/core/options/options.js";
import type { ResolvedToolOptions } from "../../../src/core/options/resolved-options.js";
import { resolveOptions } from "../../../src/core/options/resolve-options.js";
import { atlatl, forTool, lro, mcpagent, vectara } from "../../../src/presets/index.js";
import { threshold } from "../../../src/design.js";
import { memoryStore } from "../../../src/core/store/memory.js";

/** The parts that are plain data. */
const dataOf = (options: OffloadOptions): object =>
  JSON.parse(JSON.stringify({ ...resolveOptions(options), store: "", measure: "", effective: "" }));

describe("options", () => {
  it("default to the LRO specification", () => {
    const resolved = resolveOptions();
    expect(resolved.thresholdTokens).toBe(1600);
    expect(resolved.ttlMs).toBe(3_600_000);
    expect(resolved.store.name).toBe("file");
    expect(resolved.toolNames).toEqual({
      read: "read_tool_output",
      grep: "grep_tool_output",
      jq: "jq_tool_output",
      sql: "sql_tool_output",
    });
    const toolNames = { ...resolved.toolNames, extract: "lro_extract" };
    expect(dataOf(lro())).toEqual({ ...dataOf({}), toolNames, describe: { form: "auto" } });
    expect(resolved.effective.thresholdTokens).toEqual({ value: 1600, source: "default" });
  });

  it("take an environment that is no plain object, as that of a process is", () => {
    const env: Record<string, string> = Object.create({ constructor: function Environment() {} });
    env["ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS"] = "7";
    expect(resolveOptions({ config: { env } }).thresholdTokens).toBe(7);
  });

  it("keep what is given", () => {
    const store = memoryStore();
    const resolved = resolveOptions({
      store,
      decide: { threshold: { tokens: 0 } },
      drillIn: { maxOutputTokens: 500, sql: false, names: { read: "look", extract: "take" } },
    });
    expect(resolved.store).toBe(store);
    expect(resolved.thresholdTokens).toBe(0);
    expect(resolved.drillInLimits).toMatchObject({ maxOutputTokens: 500, timeoutMs: 30_000 });
    expect(resolved.toolNames).toEqual({
      read: "look",
      grep: "grep_tool_output",
      jq: "jq_tool_output",
      extract: "take",
    });
  });

  it("take the threshold at the top, for all tools and for one", () => {
    const resolved = resolveOptions({
      threshold: { tokens: 70 },
      decide: { mode: "truncate", onStoreFailure: "inline", gates: [threshold({ bytes: 9 })] },
      scope: {
        perTool: {
          own: { threshold: { tokens: 5 } },
          both: { threshold: { tokens: 6 }, decide: { mode: "artifact" } },
          none: { encode: "as-came" },
        },
      },
    });
    const { own, both, none } = Object.fromEntries(resolved.perTool);
    expect([resolved, own, both, none].map((one) => one?.thresholdTokens)).toEqual([70, 5, 6, 70]);
    expect([resolved, own, both, none].map((one) => one?.gates.length)).toEqual([2, 2, 1, 2]);
    expect([own?.mode, own?.onStoreFailure, both?.mode]).toEqual([
      "truncate",
      "inline",
      "artifact",
    ]);
    expect(resolved.effective.thresholdTokens).toEqual({ value: 70, source: "option" });
    expect(resolveOptions({ ...atlatl(), threshold: { tokens: 8 } }).thresholdTokens).toBe(8);
  });

  it.each<[string, OffloadOptions]>([
    ["", { threshold: { tokens: 1 }, decide: { threshold: { tokens: 2 } } }],
    [
      "scope.perTool.t.",
      {
        scope: {
          perTool: { t: { threshold: { tokens: 1 }, decide: { threshold: { bytes: 2 } } } },
        },
      },
    ],
  ])("have one threshold in one place: %s%j", (place, given) => {
    expect(() => resolveOptions(given)).toThrow(
      `threshold and decide.threshold are both given, and are one option; a preset gives the first. Use threshold alone\n  → at ${place}threshold`,
    );
  });

  it.each([
    [{ treshold: { tokens: 5 } }, '"treshold"; did you mean "threshold"?'],
    [{ decide: { turnBuget: {} } }, '"turnBuget"; did you mean "turnBudget"?\n  → at decide'],
    [{ drillIn: { maxOutputToken: 5 } }, 'did you mean "maxOutputTokens"?\n  → at drillIn'],
    [{ drillIn: { names: { extrct: "x" } } }, 'did you mean "extract"?\n  → at drillIn.names'],
    [{ scope: { exlude: ["a"] } }, 'did you mean "exclude"?\n  → at scope'],
    [{ scope: { include: { metdata: {} } } }, 'did you mean "metadata"?\n  → at scope.include'],
    [{ scope: { perTool: { t: { encod: 1 } } } }, 'did you mean "encode"?\n  → at scope.perTool.t'],
    [{ aging: { triger: {} } }, 'did you mean "trigger"?\n  → at aging'],
    [{ references: { t: { maxByte: 1 } } }, 'did you mean "maxBytes"?\n  → at references.t'],
    [{ retention: { perStore: { byte: 1 } } }, 'did you mean "bytes"?\n  → at retention.perStore'],
    [{ streams: { xyzzy: 1 } }, 'There is no option "xyzzy"; there are maxBytes\n  → at streams'],
  ])("tell the nearest name of one that is unknown: %j", (given, told) => {
    expect(() => resolveOptions(given as OffloadOptions)).toThrow(told);
  });

  it.each([
    [
      { references: { never: "send_mail" } },
      '"send_mail"; use names of tools\n  → at references.never',
    ],
    [{ references: { never: true } }, "true; use names of tools\n  → at references.never"],
    [{ drillIn: { sql: true } }, 'true; use "auto", false, or { maxMemoryMb }'],
    [{ drillIn: { sql: { maxMemoryMb: 63 } } }, "63; use a whole number from 64"],
    [{ drillIn: { code: codeEngine } }, "The function codeEngine; use false, or codeEngine()"],
  ])("tell what is to be given instead: %j", (given, told) => {
    expect(() => resolveOptions(given as never)).toThrow(told);
  });

  it("take references by themselves, and switch them off", () => {
    const given = (references: OffloadOptions["references"]) =>
      resolveOptions({ ...(references !== undefined && { references }) }).references;
    expect(given(undefined)).toBe("auto");
    expect(given(false)).toBeUndefined();
    expect(given({ never: ["mail"], send: true })).toEqual({ never: ["mail"], send: true });
    for (const wrong of ["on", { never: true }, { never: { parameters: ["a"] } }, ["send"]]) {
      expect(() => given(wrong as never)).toThrow("references");
    }
  });

  describe("of one tool", () => {
    const resolveTool = (
      own: OwnToolOptions,
      agent: OffloadOptions = {},
    ): ResolvedToolOptions | undefined =>
      resolveOptions({ ...agent, scope: { perTool: { search: own } } }).perTool.get("search");
    const env = { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "900" };

    it.each<[string, OffloadOptions, number]>([
      ["the options", { decide: { threshold: { tokens: 4000 } } }, 4000],
      ["the environment", { config: { env } }, 900],
      ["nobody", {}, 1600],
    ])("have the threshold that %s set, unless they state a limit", (_, agent, tokens) => {
      expect(resolveTool({ describe: { form: "bare" } }, agent)?.thresholdTokens).toBe(tokens);
      const other = resolveTool({ decide: { onStoreFailure: "inline" } }, agent);
      expect([other?.thresholdTokens, other?.gates.length]).toEqual([tokens, 1]);
      const own = resolveTool({ decide: { threshold: { tokens: 77 } } }, agent);
      expect([own?.thresholdTokens, own?.gates.length]).toEqual([77, 1]);
      expect([own?.textGates, other?.textGates?.length]).toEqual([
        undefined,
        tokens === 1600 ? 1 : undefined,
      ]);
      const gated = resolveTool({ decide: { gates: [threshold({ bytes: 5 })] } }, agent);
      expect([gated?.thresholdTokens, gated?.gates.length]).toEqual([undefined, 1]);
      expect(gated?.textGates).toBeUndefined();
    });

    it("have the agent's gates and its window, unless they state their own", () => {
      const gates = [threshold({ bytes: 5 }), threshold({ tokens: 6 })];
      const agent = { decide: { gates, contextWindowTokens: 9000 } };
      const other = resolveTool({ decide: { mode: "truncate" } }, agent);
      expect(other).toMatchObject({ mode: "truncate", gates, contextWindowTokens: 9000 });
      const own = resolveTool({ decide: { threshold: { tokens: 7 } } }, agent);
      expect(own).toMatchObject({ thresholdTokens: 7, contextWindowTokens: 9000 });
      expect(own?.gates).toHaveLength(1);
    });

    it("are those of the specification with lro(), which settings fill", () => {
      const settings = { ...env, ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "60" };
      const beside = resolveTool(forTool(lro()), atlatl());
      expect([beside?.thresholdTokens, beside?.ttlMs]).toEqual([1600, 3_600_000]);
      const filled = resolveTool(forTool(lro()), { ...mcpagent(), config: { env: settings } });
      expect([filled?.thresholdTokens, filled?.ttlMs]).toEqual([900, 60_000]);
    });

    it("leave out what is the agent's of a preset by forTool(), and refuse it otherwise", () => {
      const agent = { store: memoryStore() };
      expect(resolveTool(forTool(mcpagent()), agent)?.thresholdTokens).toBe(9999);
      const parts = {
        store: memoryStore(),
        measure: { tokenizer: "characters" },
        drillIn: false,
      } as const;
      for (const [part, value] of Object.entries(parts)) {
        expect(() => resolveTool({ ...forTool(vectara()), [part]: value })).toThrow(
          /take forTool\(preset\)\s+→ at scope\.perTool\.search\./,
        );
      }
      // @ts-expect-error a preset has parts that one tool cannot have
      const whole: OffloadOptions = { scope: { perTool: { search: mcpagent() } } };
      expect(() => resolveOptions(whole)).toThrow(/perTool\.search\.store/);
      const misspelt = { treshold: 5 } as OwnToolOptions;
      expect(() => resolveTool(misspelt)).toThrow(/treshold/);
    });
  });

  it.each(["perSession", "perStore"])(
    "refuse retention.%s of one tool, which is the agent's (architecture 7, row 6)",
    (part) => {
      const perTool = { search: { retention: { [part]: { bytes: 1 } } } };
      expect(() => resolveOptions({ scope: { perTool } })).toThrow(
        new RegExp(
          `state it beside scope, not for one tool\\s+→ at scope\\.perTool\\.search\\.retention\\.${part}`,
        ),
      );
    },
  );

  it("offer no tools when drill-in is off", () => {
    expect(resolveOptions({ drillIn: false }).toolNames).toEqual({});
  });

  it.each<[string, object, RegExp]>([
    ["an unknown option", { treshold: 5 }, /treshold/],
    [
      "a negative threshold",
      { decide: { threshold: { tokens: -1 } } },
      /decide\.threshold\.tokens/,
    ],
    ["a number without its unit", { decide: { threshold: 1600 } }, /decide\.threshold/],
    ["an unknown tokenizer", { measure: { tokenizer: "gpt9" } }, /measure\.tokenizer/],
    ["a store that is none", { store: { put() {} } }, /fileStore\(\)/],
    ["a life of no time", { retention: { ttlMs: 0 } }, /retention\.ttlMs/],
    ["a timer longer than timers can be", { drillIn: { timeoutMs: 2 ** 31 } }, /timeoutMs/],
    ["a tool name that models refuse", { drillIn: { names: { read: "read it" } } }, /names\.read/],
    ["two tools of one name", { drillIn: { names: { read: "x", grep: "x" } } }, /different names/],
  ])("refuse %s and say where it stands", (_, options, message) => {
    const resolve = (): unknown => resolveOptions(options);
    expect(resolve).toThrow(OffloadError);
    expect(resolve).toThrow(message);
  });
});
