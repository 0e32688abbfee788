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

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** `undefined` is refused, because a missing condition would match every tool. */
const conditions = z.record(z.string(), scalar);
const selector = oneOf(
  [z.array(z.string()), callback, optionsOf({ metadata: conditions })],
  "tool names, a rule, or { metadata: { key: value } } with texts, numbers, booleans or null",
);
const store = having(
  ["put", "stat", "read", "list", "delete", "sweep"],
  "an ArtifactStore, such as fileStore() or memoryStore()",
);

const form = z.enum(["auto", "full", "generic", "bare"]);

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

const shape = optionsOf({
  tool: name,
  name,
  description: z.string(),
  schema: having(["safeParse"], "the ZodObject of toolShape()"),
  names: z.record(z.string(), z.string()),
  maxTokens: count.optional(),
  call: callback,
  state: callback,
});

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
      tools: z.array(shape).optional(),
    }),
  ],
  "false, or options of the drill-ins",
);

/** Marks a published design: as the preset of one tool it replaces nearly all of the agent's options. */
export interface Design extends OffloadOptions {
  readonly isDesign?: true;
}

export function asPreset(options: OffloadOptions): Design {
  return { ...options, isDesign: true };
}

const preset = z.lazy(() => optionsSchema).optional();

const options = {
  ...partsOfATool,
  preset,
  plugins: z.array(having(["setup"], "a plugin")).optional(),
  include: selector.optional(),
  exclude: selector.optional(),
  perTool: optionsByName(
    optionsOf({
      ...partsOfATool,
      preset,
      plugins: optionsByName(z.unknown()).optional(),
    }),
  ).optional(),
  turnBudget: turnBudget.optional(),
  tokenizer: z
    .union([
      z.enum(["o200k_base", "cl100k_base", "p50k_base", "r50k_base", "gpt2", "characters"]),
      callback,
    ])
    .optional(),
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
  isDesign: z.literal(true).optional(),
};

export const optionsSchema: z.ZodType = optionsOf(options);

export const OPTION_NAMES: readonly string[] = Object.keys(options);

export const TOOL_OPTION_NAMES: readonly string[] = Object.keys(partsOfATool);

export const overridesSchema: z.ZodType = optionsOf({
  enabled: z.boolean().optional(),
  threshold: sizeInUnit.optional(),
  form: form.optional(),
});
