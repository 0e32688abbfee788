import * as z from "zod";

import { agingSchema } from "../../plugins/aging/aging-options.js";
import { mediaSchema } from "./media-options.js";
import {
  callback,
  count,
  fraction,
  having,
  lifeMs,
  oneOf,
  optionsByName,
  optionsOf,
  rule,
  size,
  sizeInUnit,
  timerMs,
  wholeNumber,
} from "../../util/option-rules.js";
import { fieldOf } from "../../util/field-of.js";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, _ or -");
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A condition that is `undefined` is refused: left out, it would hold for every tool. */
const conditions = z.record(z.string(), scalar);
const selector = oneOf(
  [z.array(z.string()), callback, optionsOf({ metadata: conditions })],
  "tool names, a rule, or { metadata: { key: value } } with texts, numbers, booleans or null",
);
const store = having(
  ["put", "stat", "read", "list", "delete", "sweep"],
  "an ArtifactStore, such as fileStore() or memoryStore()",
);

const storageCap = optionsOf({ bytes: count.optional() });

const form = z.enum(["auto", "full", "generic", "bare"]);

/** Refused, so that it is not taken for something that holds for one tool. */
const OF_THE_AGENT = "one for all tools of an agent: state it beside scope, not for one tool";
const ofTheAgent = z.never(OF_THE_AGENT).optional();
const partOfPresets = z.never(`${OF_THE_AGENT}. Of a preset, take forTool(preset)`).optional();

const decide = {
  threshold: sizeInUnit.optional(),
  defaultThreshold: sizeInUnit.optional(),
  gates: z.array(callback).optional(),
  mode: z.enum(["auto", "artifact", "truncate"]).optional(),
  onStoreFailure: z.enum(["truncate", "inline"]).optional(),
  contextWindowTokens: count.optional(),
};

const turnBudget = oneOf(
  [
    optionsOf({ tokens: size }),
    optionsOf({ fraction }),
    optionsOf({ headroom: fraction, minBytes: size.optional() }),
  ],
  "{ tokens: … }, a whole number from 0 up, or { fraction: … } or { headroom: … } from 0 to 1",
);

const retention = { ttlMs: lifeMs.optional(), refreshOnRead: z.boolean().optional() };

/** What one tool may have of its own. */
const partsOfATool = {
  threshold: sizeInUnit.optional(),
  enabled: z.boolean().optional(),
  selectResultSet: callback.optional(),
  decide: optionsOf({ ...decide, turnBudget: ofTheAgent, callArgument: ofTheAgent }).optional(),
  encode: z.enum(["lro", "json-lines", "as-came"]).optional(),
  fileName: callback.optional(),
  describe: optionsOf({
    form: form.optional(),
    maxTokens: count.optional(),
    describer: callback.optional(),
    wrapInline: callback.optional(),
  }).optional(),
  retention: optionsOf({
    ...retention,
    perSession: ofTheAgent,
    perStore: ofTheAgent,
  }).optional(),
};

/** A threshold stands at the top or in `decide`: of two, nobody could say which is meant. */
function withOneThreshold(shape: Parameters<typeof optionsOf>[0]): z.ZodType {
  return optionsOf(shape).superRefine((given, context) => {
    if (fieldOf(given, "threshold") === undefined) return;
    if (fieldOf(fieldOf(given, "decide"), "threshold") === undefined) return;
    const message =
      "threshold and decide.threshold are both given, and are one option; a preset gives the first. Use threshold alone";
    context.addIssue({ code: "custom", message, path: ["threshold"] });
  });
}

const toolName = z.union([name, z.literal(false)]).optional();

/** What `toolShape()` makes. */
const shape = optionsOf({
  tool: z.enum(["read", "grep", "jq", "sql", "extract", "cleanup"]),
  name,
  description: z.string(),
  schema: having(["safeParse"], "the ZodObject of toolShape()"),
  names: z.record(z.string(), z.string()),
  maxTokens: count.optional(),
  call: callback,
  state: callback,
});

/** What the function of that name gives, which is a function too. */
function engineOf(factory: string): z.ZodType {
  return rule(
    (value) => typeof value === "function" && value.name !== factory,
    `what ${factory}() gives`,
  );
}

const drillIn = oneOf(
  [
    z.literal(false),
    optionsOf({
      maxOutputTokens: count.optional(),
      timeoutMs: timerMs.optional(),
      spool: optionsOf({
        directory: z.string().min(1).optional(),
        maxMemoryBytes: count.optional(),
      }).optional(),
      sql: oneOf(
        [
          z.enum(["auto"]),
          z.literal(false),
          optionsOf({ maxMemoryMb: wholeNumber(64, 2 ** 31 - 1).optional() }),
        ],
        '"auto", false, or { maxMemoryMb }',
      ).optional(),
      code: oneOf([z.literal(false), engineOf("codeEngine")], "false, or codeEngine()").optional(),
      names: optionsOf({
        read: toolName,
        grep: toolName,
        jq: toolName,
        sql: toolName,
        extract: toolName,
        code: toolName,
        view: toolName,
      }).optional(),
      tools: z.array(shape).optional(),
    }),
  ],
  "false, or options of the drill-ins",
);

const takenReferences = oneOf(
  [
    z.literal(true),
    z.array(name),
    optionsOf({ parameters: z.array(name).optional(), maxBytes: count.optional() }),
  ],
  "true, names of parameters, or { parameters, maxBytes }",
);

const referenceOptions = oneOf(
  [
    z.enum(["auto"]),
    z.boolean(),
    optionsByName(takenReferences, {
      never: rule((names) => z.array(name).safeParse(names).success, "names of tools").optional(),
    }),
  ],
  '"auto", true, false, { never: names of tools }, or tools by name',
);

/** `process.env` itself is no plain object, which a record has to be. */
const environment = z.preprocess(
  (given) => (typeof given === "object" && given !== null ? { ...given } : given),
  z.record(z.string(), z.string().optional()),
);

const options = {
  ...partsOfATool,
  decide: optionsOf({
    ...decide,
    turnBudget: turnBudget.optional(),
    callArgument: optionsOf({ name, description: z.string() }).optional(),
  }).optional(),
  retention: optionsOf({
    ...retention,
    perSession: storageCap.optional(),
    perStore: storageCap.optional(),
  }).optional(),
  config: optionsOf({ env: environment.optional(), file: z.string().optional() }).optional(),
  measure: optionsOf({
    tokenizer: z
      .union([
        z.enum(["o200k_base", "cl100k_base", "p50k_base", "r50k_base", "gpt2", "characters"]),
        callback,
      ])
      .optional(),
  }).optional(),
  store: store.optional(),
  streams: optionsOf({ maxBytes: count.optional() }).optional(),
  plugins: z.array(having(["setup"], "a plug-in")).optional(),
  redact: callback.optional(),
  media: mediaSchema.optional(),
  drillIn: drillIn.optional(),
  references: referenceOptions.optional(),
  showTools: z.enum(["always", "after-first-offload"]).optional(),
  access: callback.optional(),
  aging: agingSchema.optional(),
  scope: optionsOf({
    include: selector.optional(),
    exclude: selector.optional(),
    when: callback.optional(),
    perTool: optionsByName(
      withOneThreshold({
        ...partsOfATool,
        measure: partOfPresets,
        store: partOfPresets,
        drillIn: partOfPresets,
      }),
    ).optional(),
  }).optional(),
  onEvent: callback.optional(),
  journal: having(["append"], "a Journal, such as fileJournal()").optional(),
  now: callback.optional(),
};

/** What `resolveOptions` accepts; everything has a default. */
export const optionsSchema: z.ZodType = withOneThreshold(options);

/** Names of the options at the top. */
export const OPTION_NAMES: readonly string[] = Object.keys(options);

/** What one run or one call may override; what is `undefined` is not given. */
export const overridesSchema: z.ZodType = optionsOf({
  enabled: z.boolean().optional(),
  threshold: sizeInUnit.optional(),
  form: form.optional(),
});
