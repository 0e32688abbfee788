import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { checkedOptions } from "../src/util/option-rules.js";
import { optionsSchema, overridesSchema, plainOptions } from "../src/core/options/schema.js";
import { applyOverrides } from "../src/core/options/resolve.js";
import type { OffloadOptions } from "../src/core/options/options.js";
import type { ResolvedToolOptions } from "../src/core/options/options.js";
import { resolveOptions } from "../src/core/options/resolve.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../src/presets/index.js";
import { memoryStore } from "../src/core/store/memory.js";
import { openedOffloaders } from "./opened-offloaders.js";

/** A schema behind what only lets `undefined` or a copy pass. */
function inside(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return inside(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return inside(schema.out as z.ZodType);
  return schema;
}

/** Every object of options in a value, with the keys that its rule knows. */
function* partsOf(schema: z.ZodType, value: unknown): Generator<[object, string[]]> {
  const rule = inside(schema);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  if (rule instanceof z.ZodUnion) {
    const fitting = (rule.options as z.ZodType[]).find((one) => one.safeParse(value).success);
    if (fitting) yield* partsOf(fitting, value);
  } else if (rule instanceof z.ZodObject) {
    const shape = rule.shape as Record<string, z.ZodType>;
    yield [value, Object.keys(shape)];
    for (const [key, own] of Object.entries(value)) {
      // Conditions are no options: leaving one out would widen what they select.
      if (shape[key] && key !== "metadata") yield* partsOf(shape[key], own);
    }
  } else if (rule instanceof z.ZodRecord) {
    yield [value, ["some_tool"]];
    for (const own of Object.values(value)) yield* partsOf(rule.valueType as z.ZodType, own);
  }
}

const store = memoryStore();
const call = (): string => "x";
const size = fc.oneof(fc.record({ tokens: fc.nat() }), fc.record({ bytes: fc.nat() }));
const toolOptions = {
  enabled: fc.boolean(),
  threshold: size,
  gates: fc.constant([() => undefined]),
  mode: fc.constantFrom("auto", "store", "truncate"),
  onStoreFailure: fc.constantFrom("truncate", "inline"),
  fileFormat: fc.constantFrom("lro", "json-lines", "original"),
  fileName: fc.constant(call),
  describe: fc.record(
    { form: fc.constantFrom("full", "bare"), maxTokens: fc.constant(99) },
    { requiredKeys: [] },
  ),
  retention: fc.record({ ttlMs: fc.integer({ min: 1 }) }, { requiredKeys: [] }),
};
const someOf = <Options>(model: { [Key in keyof Options]: fc.Arbitrary<Options[Key]> }) =>
  fc.record(model, { requiredKeys: [] });
const given = fc.record(
  {
    ...toolOptions,
    contextWindowTokens: fc.integer({ min: 1 }),
    retention: someOf({
      ttlMs: fc.integer({ min: 1 }),
      maxSessionBytes: fc.constant(9),
      maxTotalBytes: fc.constant(9),
    }),
    store: fc.constant(store),
    tokenizer: fc.constantFrom("characters", call),
    maxOutputBytes: fc.constant(7),
    temporaryDirectory: fc.constant("x"),
    drillIn: fc.oneof(
      fc.constant(false as const),
      someOf({
        maxAnswerTokens: fc.constant(77),
        timeoutMs: fc.constant(5),
        names: someOf({ view: fc.constant("look"), jq: fc.constant(false) }),
      }),
    ),
    include: fc.constantFrom(["a"], call, { metadata: { a: 1 } }),
    perTool: fc.dictionary(fc.constantFrom("a", "b"), someOf(toolOptions)),
    onEvent: fc.constant(call),
  },
  { requiredKeys: [] },
);
const designs = [lro(), atlatl(), mcpagent(), metaCc()];
const presets = fc.constantFrom(
  {},
  ...[...designs, vectara({ onWarning: () => {} })].map((preset) => ({ preset })),
);

/** Copies of functions and stores would be others. */
function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value === store || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, copied(own)]));
}

/** What compares: gates made anew are other functions. */
function comparable(options: ReturnType<typeof resolveOptions>): object {
  const context = { toolName: "t", args: {}, outputBytes: () => 0 };
  const plain = ({ gates, textGates, fileName, ...rest }: ResolvedToolOptions): object => ({
    ...rest,
    gates: gates.map((gate) => gate(context)),
    textGates: textGates?.map((gate) => gate(context)),
    fileName: fileName === call,
  });
  const { perTool, store, now: _now, ...ofAgent } = options;
  const tools = [...perTool].map(([tool, own]) => [tool, plain(own)]);
  return { ...plain(ofAgent), tools, store: store.name };
}

describe("an option that is undefined", () => {
  it("is not given, wherever it stands among the options (C5)", () => {
    fc.assert(
      fc.property(presets, given, fc.infiniteStream(fc.boolean()), (preset, own, coins) => {
        const plain = { ...preset, ...own } as OffloadOptions;
        const { preset: design, ...rest } = plain;
        const sprinkled = {
          ...(copied(rest) as OffloadOptions),
          ...(design && { preset: design }),
        };
        for (const [part, keys] of Array.from(partsOf(plainOptions, sprinkled))) {
          for (const key of [...keys, "no_option"]) {
            if (!(key in part) && coins.next().value === true) Reflect.set(part, key, undefined);
          }
        }
        expect(comparable(resolveOptions(sprinkled))).toEqual(comparable(resolveOptions(plain)));
      }),
      { numRuns: 100 },
    );
  });

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
    expect(applyOverrides(resolved, { threshold: undefined, form: undefined })).toEqual(resolved);
  });

  const open = openedOffloaders();
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

  it("is refused where leaving it out would turn a condition into none", () => {
    const exclude = { metadata: { secret: undefined } };
    expect(() => resolveOptions({ exclude } as never)).toThrow(/at exclude/);
  });
});
