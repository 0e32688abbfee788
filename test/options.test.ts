import { describe, expect, it } from "vitest";

import { OffloadError } from "../src/errors.js";
import { type OffloadOptions, resolveOptions } from "../src/options.js";
import { lro } from "../src/presets/lro.js";
import { memoryStore } from "../src/store/memory.js";

/** The parts that are plain data. */
const dataOf = (options: OffloadOptions): object =>
  JSON.parse(JSON.stringify({ ...resolveOptions(options), store: "", measure: "", effective: "" }));

describe("options", () => {
  it("default to the LRO specification", () => {
    const resolved = resolveOptions();
    expect(resolved.thresholdTokens).toBe(1600);
    expect(resolved.ttlMs).toBe(3_600_000);
    expect(resolved.sweepIntervalMs).toBe(3_600_000);
    expect(resolved.store.name).toBe("file");
    expect(resolved.toolNames).toEqual({
      read: "read_tool_output",
      grep: "grep_tool_output",
      jq: "jq_tool_output",
      extract: "lro_extract",
    });
    expect(dataOf(lro())).toEqual({ ...dataOf({}), describe: { form: "auto" } });
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
      drillIn: { maxOutputTokens: 500, names: { read: "look", extract: false } },
    });
    expect(resolved.store).toBe(store);
    expect(resolved.thresholdTokens).toBe(0);
    expect(resolved.drillInLimits).toMatchObject({ maxOutputTokens: 500, timeoutMs: 10_000 });
    expect(resolved.toolNames).toEqual({
      read: "look",
      grep: "grep_tool_output",
      jq: "jq_tool_output",
    });
  });

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
    [
      "a timer longer than timers can be",
      { retention: { sweepIntervalMs: 2 ** 31 } },
      /sweepIntervalMs/,
    ],
    ["a tool name that models refuse", { drillIn: { names: { read: "read it" } } }, /names\.read/],
    ["two tools of one name", { drillIn: { names: { read: "x", grep: "x" } } }, /different names/],
  ])("refuse %s and say where it stands", (_, options, message) => {
    const resolve = (): unknown => resolveOptions(options);
    expect(resolve).toThrow(OffloadError);
    expect(resolve).toThrow(message);
  });
});
