import * as z from "zod";

import type { OffloadOptions } from "./options.js";
import { fieldOf } from "../../util/field-of.js";
import {
  callback,
  count,
  fraction,
  having,
  lifeMs,
  modelName as name,
  oneOf,
  optionalsOf,
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

const retention = { ttlMs: lifeMs, refreshOnRead: z.boolean() };

const partsOfATool = {
  enabled: z.boolean(),
  threshold: sizeInUnit,
  gates: z.array(callback),
  mode: z.enum(["store", "truncate", "auto"]),
  onStoreFailure: z.enum(["truncate", "inline"]),
  fileFormat: z.enum(["lro", "json-lines", "original"]),
  selectResultSet: callback,
  fileName: callback,
  retention: optionalsOf(retention),
  describe: optionalsOf({
    form,
    maxTokens: count,
    describer: callback,
    wrapInline: callback,
  }),
};

const drillIn = oneOf(
  [
    z.literal(false),
    optionalsOf({
      maxAnswerTokens: count,
      timeoutMs: timerMs,
      sql: oneOf(
        [
          z.enum(["auto"]),
          z.literal(false),
          optionalsOf({ maxMemoryMb: wholeNumber(64, 2 ** 31 - 1) }),
        ],
        '"auto", false, or { maxMemoryMb }',
      ),
      names: optionsByName(
        oneOf([name, z.literal(false)], "1 to 64 letters, digits, _ or -, or false"),
      ),
      tools: z.array(having(["call", "state"], "what toolShape() gives")),
    }),
  ],
  "false, or options of the drill-ins",
);

const PRESET: unique symbol = Symbol.for("langchain-offload.preset");

export function asPreset(options: OffloadOptions): OffloadOptions {
  return Object.assign({ [PRESET]: true }, options);
}

export function isPreset(options: unknown): boolean {
  return fieldOf(options, PRESET) !== undefined;
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
  preset,
  plugins: z.array(having(["setup"], "a plugin")),
  include: selector,
  exclude: selector,
  perTool: optionsByName(
    optionalsOf({
      ...partsOfATool,
      preset,
      plugins: optionsByName(z.unknown()),
    }),
  ),
  turnBudget,
  tokenizer: oneOf(
    [z.enum(["o200k_base", "cl100k_base", "characters"]), callback],
    '"o200k_base", "cl100k_base", "characters" or a function',
  ),
  contextWindowTokens: count,
  store,
  retention: optionalsOf({
    ...retention,
    maxSessionBytes: count,
    maxTotalBytes: count,
  }),
  maxOutputBytes: count,
  temporaryDirectory: z.string().min(1),
  drillIn,
  access: callback,
  onEvent: callback,
  now: callback,
};

const plainOptions: z.ZodType = optionalsOf(options);

const noPreset = z.unknown().refine((given) => !isPreset(given), {
  error:
    "A preset cannot be passed as options or spread into them. Pass it as preset: …, as in { preset: lro(), threshold: { tokens: 3200 } }",
});

export const optionsSchema: z.ZodType = noPreset.pipe(plainOptions);

const anyOptions = Object.fromEntries(
  Object.keys(options).map((name) => [name, z.unknown().optional()]),
);

/** Beside options of one's own: an unknown name may be a misspelt one of those. */
export function withAnyOptions(own: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return noPreset.pipe(optionsOf({ ...anyOptions, ...own }));
}

export const TOOL_OPTION_NAMES: readonly string[] = Object.keys(partsOfATool);

export const overridesSchema: z.ZodType = optionalsOf({
  enabled: z.boolean(),
  threshold: sizeInUnit,
  form,
});
