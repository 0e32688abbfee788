import * as z from "zod";

import type { OffloadOptions } from "./options.js";
import {
  callback,
  count,
  fraction,
  having,
  lifeMs,
  modelName as name,
  oneOf,
  optionsByName,
  optionsOf,
  size,
  sizeInUnit,
  timerMs,
  wholeNumber,
} from "../../util/option-rules.js";

const selector = oneOf([z.array(z.string()), callback], "tool names or a rule");
const store = having(
  ["put", "stat", "read", "list", "delete", "sweep"],
  "an ArtifactStore, such as fileStore() or memoryStore()",
);

const form = z.enum(["auto", "generic", "bare"]);

const turnBudget = oneOf(
  [
    optionsOf({ tokens: size }),
    optionsOf({ fraction }),
    optionsOf({ headroom: fraction, minBytes: size.optional() }),
  ],
  "{ tokens: … }, a whole number from 0 up, or { fraction: … } or { headroom: … } from 0 to 1",
);

const retention = { ttlMs: lifeMs.optional(), refreshOnRead: z.boolean().optional() };

const partsOfATool = {
  enabled: z.boolean().optional(),
  threshold: sizeInUnit.optional(),
  gates: z.array(callback).optional(),
  mode: z.enum(["store", "truncate", "auto"]).optional(),
  onStoreFailure: z.enum(["truncate", "inline"]).optional(),
  fileFormat: z.enum(["lro", "json-lines", "original"]).optional(),
  selectResultSet: callback.optional(),
  fileName: callback.optional(),
  retention: optionsOf(retention).optional(),
  describe: optionsOf({
    form: form.optional(),
    maxTokens: count.optional(),
    describer: callback.optional(),
    wrapInline: callback.optional(),
  }).optional(),
};

const toolName = z.union([name, z.literal(false)]).optional();

const drillIn = oneOf(
  [
    z.literal(false),
    optionsOf({
      maxAnswerTokens: count.optional(),
      timeoutMs: timerMs.optional(),
      sql: oneOf(
        [
          z.enum(["auto"]),
          z.literal(false),
          optionsOf({ maxMemoryMb: wholeNumber(64, 2 ** 31 - 1).optional() }),
        ],
        '"auto", false, or { maxMemoryMb }',
      ).optional(),
      names: optionsByName(toolName).optional(),
      tools: z.array(having(["call", "state"], "what toolShape() gives")).optional(),
    }),
  ],
  "false, or options of the drill-ins",
);

const PRESET: unique symbol = Symbol.for("langchain-offload.preset");

export function asPreset(options: OffloadOptions): OffloadOptions {
  return Object.assign({ [PRESET]: true }, options);
}

export function isPreset(options: unknown): boolean {
  return typeof options === "object" && options !== null && PRESET in options;
}

/** It stays marked as a preset. */
const preset = z.lazy(() =>
  z.unknown().transform((given, context) => {
    const { data, error } = plainOptions.safeParse(given);
    const issues: unknown[] = context.issues;
    issues.push(...(error?.issues ?? []));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema is the type's; where it refuses, nobody looks.
    return isPreset(given) ? asPreset(data as OffloadOptions) : data;
  }),
);

const options = {
  ...partsOfATool,
  preset: preset.optional(),
  plugins: z.array(having(["setup"], "a plugin")).optional(),
  include: selector.optional(),
  exclude: selector.optional(),
  perTool: optionsByName(
    optionsOf({
      ...partsOfATool,
      preset: preset.optional(),
      plugins: optionsByName(z.unknown()).optional(),
    }),
  ).optional(),
  turnBudget: turnBudget.optional(),
  tokenizer: z.union([z.enum(["o200k_base", "cl100k_base", "characters"]), callback]).optional(),
  contextWindowTokens: count.optional(),
  store: store.optional(),
  retention: optionsOf({
    ...retention,
    maxSessionBytes: count.optional(),
    maxTotalBytes: count.optional(),
  }).optional(),
  maxOutputBytes: count.optional(),
  temporaryDirectory: z.string().min(1).optional(),
  drillIn: drillIn.optional(),
  access: callback.optional(),
  onEvent: callback.optional(),
  now: callback.optional(),
};

const plainOptions: z.ZodType = optionsOf(options);

export const optionsSchema: z.ZodType = z
  .unknown()
  .refine((given) => !isPreset(given), {
    error:
      "A preset cannot be passed as options or spread into them. Pass it as preset: …, as in { preset: lro(), threshold: { tokens: 3200 } }",
  })
  .pipe(plainOptions);

export const OPTION_NAMES: readonly string[] = Object.keys(options);

export const TOOL_OPTION_NAMES: readonly string[] = Object.keys(partsOfATool);

export const overridesSchema: z.ZodType = optionsOf({
  enabled: z.boolean().optional(),
  threshold: sizeInUnit.optional(),
  form: form.optional(),
});
