import * as z from "zod";

import type { StoredArtifact } from "../types/artifact.js";
import {
  count,
  modelName as name,
  oneOf,
  optionsByName,
  optionsOf,
  rule,
} from "../../util/option-rules.js";

/** Which arguments of a tool may stand for stored outputs. */
interface ReferenceParameters {
  /** Names of the parameters. @defaultValue all */
  readonly parameters?: readonly string[];
  /** Largest sum of the data that one call is given in place of references, in bytes. @defaultValue 16,777,216 (16 MiB) */
  readonly maxBytes?: number;
}

/**
 * Tools whose arguments may stand for stored outputs: by their names, with `true` for all parameters of a tool, and
 * then no others; `true` for all tools; `false` for none. `"auto"` stands for the parameters that take data by the
 * tool's schema, in agents with the middleware; `{ never: ["send_mail"] }` is the same but for these tools, and may name
 * others beside.
 */
export type ReferenceOptions =
  | "auto"
  | boolean
  | (Readonly<Record<string, true | readonly string[] | ReferenceParameters>> & {
      /** Tools that are given none by themselves. */
      readonly never?: readonly string[];
    });

const takenReferences = oneOf(
  [
    z.literal(true),
    z.array(name),
    optionsOf({ parameters: z.array(name).optional(), maxBytes: count.optional() }),
  ],
  "true, names of parameters, or { parameters, maxBytes }",
);

/** What `references` accepts. */
export const referencesSchema: z.ZodType = oneOf(
  [
    z.enum(["auto"]),
    z.boolean(),
    optionsByName(takenReferences, {
      never: rule((names) => z.array(name).safeParse(names).success, "names of tools").optional(),
    }),
  ],
  '"auto", true, false, { never: names of tools }, or tools by name',
);

/** What holds for one tool. */
export interface ResolvedReferences {
  /** `undefined` for all. */
  readonly parameters: readonly string[] | undefined;
  readonly maxBytes: number;
}

/** The key of a reference that names the output. */
export const REFERENCE_MARK = "$output";

/** What the first parameter of an agent says that takes references: how a part is passed, and what comes of it. */
export const FIRST_REFERENCE_NOTE: string =
  `Or {"${REFERENCE_MARK}": id, "jq": "filter"}: a stored output. The filter runs on each record, ` +
  `else on the document; its results are one list. Without jq: all of it.`;

/** What the others say. */
export const REFERENCE_NOTE: string = `Or {"${REFERENCE_MARK}": id}.`;

/** Largest sum of the data of one call where nothing else is said, in bytes. */
export const DEFAULT_MAX_BYTES: number = 16 * 1024 * 1024;

/** Tools that a descriptor names; the parameters of the others say it. */
const MAX_NAMED_TOOLS = 5;

/** The sentence of a descriptor that says where its output may be passed, and how; nothing where it may not. */
export function referenceSentence(
  options: ReferenceOptions | undefined,
  { media }: Partial<Pick<StoredArtifact, "media">>,
): string {
  const tools = toolsNamedIn(options);
  const named = tools.slice(0, MAX_NAMED_TOOLS).map((tool) => {
    const parameters = referencesOf(options, tool)?.parameters;
    return parameters === undefined ? tool : `${tool} (${parameters.join(", ")})`;
  });
  if (!takesAny(options)) return "";
  if (media !== undefined)
    return `{"${REFERENCE_MARK}": file_path} passes it to a tool that takes it, in base64.`;
  const where =
    options === true || isAuto(options)
      ? "an argument whose description offers it"
      : `arguments of ${named.join(", ")}`;
  return `{"${REFERENCE_MARK}": file_path} as ${where} passes this output on without retyping, with "jq": filter a part of it.`;
}

/** The options without the tools that are judged by their schema. */
export function namedOnly(options: ReferenceOptions | undefined): ReferenceOptions | undefined {
  if (!isAuto(options)) return options;
  const { never: _never, ...named } = typeof options === "object" ? options : {};
  return named;
}

/** Whether any tool may take references. */
export function takesAny(options: ReferenceOptions | undefined): boolean {
  return options === true || isAuto(options) || toolsNamedIn(options).length > 0;
}

/** Whether tools that the options do not name are judged by their schema. */
export function isAuto(options: ReferenceOptions | undefined): boolean {
  return options === "auto" || neverIn(options) !== undefined;
}

/** Tools that are given none by themselves; `undefined` without such a list. */
export function neverIn(options: ReferenceOptions | undefined): readonly string[] | undefined {
  return typeof options === "object" ? options.never : undefined;
}

/** Tools that the options name as taking references. */
export function toolsNamedIn(options: ReferenceOptions | undefined): readonly string[] {
  return typeof options === "object" ? Object.keys(options).filter((name) => name !== "never") : [];
}

/** What the options say by name about one tool; `undefined` when they say nothing of it. */
export function referencesOf(
  options: ReferenceOptions | undefined,
  toolName: string,
): ResolvedReferences | undefined {
  const own =
    options === true ||
    (toolsNamedIn(options).includes(toolName) && Reflect.get(Object(options), toolName));
  if (own === false || own === undefined) return undefined;
  if (own === true) return { parameters: undefined, maxBytes: DEFAULT_MAX_BYTES };
  const { parameters, maxBytes = DEFAULT_MAX_BYTES } = isList(own) ? { parameters: own } : own;
  return { parameters, maxBytes };
}

function isList(value: readonly string[] | ReferenceParameters): value is readonly string[] {
  return Array.isArray(value);
}
