import * as z from "zod";

import { DEFAULT_DRILL_IN_LIMITS } from "./drill-in/limits.js";
import { isPresetPart } from "./preset-parts.js";

/** A longer timer would fire at once: Node keeps delays in 32 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const count = z.number().int().positive();
const whole = z.number().int().nonnegative();
const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");
const fn = z.custom<unknown>((value) => typeof value === "function", "a function");
const selector = z.union([z.array(z.string()), fn]);
const store = z.custom<unknown>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    ["put", "stat", "read", "list", "delete", "sweep"].every(
      (verb) => typeof Reflect.get(value, verb) === "function",
    ),
  "an ArtifactStore, such as fileStore() or memoryStore()",
);

const sizeSchema = z.union([z.strictObject({ tokens: whole }), z.strictObject({ bytes: whole })], {
  error: "{ tokens: … } or { bytes: … }, a whole number from 0 up",
});

const storageCap = z.strictObject({ bytes: count.optional(), files: count.optional() });

const form = z.enum(["auto", "full", "generic", "bare"]);

/** Left out, so that it is not taken for something that holds for one tool. */
const ofTheAgent = z
  .custom<unknown>(
    isPresetPart,
    "one for all tools of an agent: state it beside scope, not for one tool",
  )
  .optional();

const decide = {
  threshold: sizeSchema.optional(),
  gates: z.array(fn).optional(),
  mode: z.enum(["auto", "artifact", "truncate"]).optional(),
  onStoreFailure: z.enum(["truncate", "inline"]).optional(),
  whenNoDrillIn: z.enum(["inline", "raise", "describe"]).optional(),
  contextWindowTokens: count.optional(),
};

const turnBudget = z.union(
  [z.strictObject({ tokens: whole }), z.strictObject({ fraction: z.number().min(0).max(1) })],
  { error: "{ tokens: … }, a whole number from 0 up, or { fraction: … } from 0 to 1" },
);

/** What one tool may have of its own. */
const partsOfATool = {
  enabled: z.boolean().optional(),
  selectResultSet: fn.optional(),
  decide: z.strictObject({ ...decide, turnBudget: ofTheAgent }).optional(),
  encode: z.enum(["lro", "json-lines", "as-came"]).optional(),
  fileName: fn.optional(),
  describe: z
    .strictObject({
      form: form.optional(),
      shell: z.boolean().optional(),
      maxTokens: count.optional(),
      describer: fn.optional(),
      wrapInline: fn.optional(),
      recipes: fn.optional(),
    })
    .optional(),
  retention: z
    .strictObject({
      ttlMs: count.optional(),
      sweepIntervalMs: count.max(MAX_TIMER_MS).optional(),
      refreshOnRead: z.boolean().optional(),
      perSession: storageCap.optional(),
      perStore: storageCap.optional(),
    })
    .optional(),
};

const drillIn = z.union([
  z.literal(false),
  z.strictObject({
    ...Object.fromEntries(
      Object.keys(DEFAULT_DRILL_IN_LIMITS).map((limit) => [limit, count.optional()]),
    ),
    ripgrep: z.enum(["auto", "off"]).optional(),
    spool: z
      .strictObject({
        directory: z.string().min(1).optional(),
        maxBytes: count.optional(),
        maxAgeMs: count.optional(),
      })
      .optional(),
    sql: fn.optional(),
    names: z
      .partialRecord(
        z.enum(["read", "grep", "jq", "sql", "extract"]),
        z.union([name, z.literal(false)]).optional(),
      )
      .optional(),
    tools: z.array(z.looseObject({ name, description: z.string(), call: fn })).optional(),
  }),
]);

const referenceOptions = z.union([
  z.literal(true),
  z.record(
    z.string(),
    z.union([
      z.literal(true),
      z.array(name),
      z.strictObject({ parameters: z.array(name).optional(), maxBytes: count.optional() }),
    ]),
  ),
]);

/** `process.env` itself is no plain object, which a record has to be. */
const environment = z.preprocess(
  (given) => (typeof given === "object" && given !== null ? { ...given } : given),
  z.record(z.string(), z.string().optional()),
);

/** What `resolveOptions` accepts; everything has a default. */
export const optionsSchema: z.ZodType = z.strictObject({
  ...partsOfATool,
  decide: z.strictObject({ ...decide, turnBudget: turnBudget.optional() }).optional(),
  config: z
    .strictObject({
      env: environment.optional(),
      file: z.string().optional(),
    })
    .optional(),
  measure: z
    .strictObject({
      tokenizer: z
        .union([
          z.enum(["o200k_base", "cl100k_base", "p50k_base", "r50k_base", "gpt2", "characters"]),
          fn,
        ])
        .optional(),
    })
    .optional(),
  store: store.optional(),
  streams: z.strictObject({ maxBytes: count.optional() }).optional(),
  drillIn: drillIn.optional(),
  references: referenceOptions.optional(),
  scope: z
    .strictObject({
      include: selector.optional(),
      exclude: selector.optional(),
      perTool: z
        .record(
          z.string(),
          z.strictObject({
            ...partsOfATool,
            measure: ofTheAgent,
            store: ofTheAgent,
            drillIn: ofTheAgent,
          }),
        )
        .optional(),
    })
    .optional(),
  onEvent: fn.optional(),
  now: fn.optional(),
});

/** What one run or one call may override. */
export const overridesSchema: z.ZodType<{
  enabled?: boolean | undefined;
  threshold?: { tokens: number } | { bytes: number } | undefined;
  form?: "auto" | "full" | "generic" | "bare" | undefined;
}> = z.strictObject({
  enabled: z.boolean().optional(),
  threshold: sizeSchema.optional(),
  form: form.optional(),
});
