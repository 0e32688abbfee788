import * as z from "zod";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { PluginApi } from "../../core/types/plugin.js";
import { count, modelName as name, oneOf, optionsOf } from "../../util/option-rules.js";

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

/**
 * What `perTool.X.plugins.references` can be beside `false`: `true` for all parameters, names of parameters, or both of
 * these. `maxBytes` is the largest sum of the data of one call: 16 MiB by default.
 */
type ReferenceSetting =
  | true
  | readonly string[]
  | { readonly parameters?: readonly string[]; readonly maxBytes?: number };

/** Checks it. */
export const settingSchema: z.ZodType = oneOf(
  [
    z.literal(true),
    z.array(name),
    optionsOf({ parameters: z.array(name).optional(), maxBytes: count.optional() }),
  ],
  "true, false, names of parameters, or { parameters, maxBytes }",
);

/** What holds for one tool. */
export interface ResolvedReferences {
  /** `undefined` for all. */
  readonly parameters: readonly string[] | undefined;
  readonly maxBytes: number;
}

/** Which tools take references. */
export interface ReferenceTerms {
  /** Whether tools that the options do not name are judged by their schema. */
  readonly auto: boolean;
  /** Tools that the options name as taking references. */
  readonly named: readonly string[];
  /** Tools that are given none. */
  readonly never: readonly string[];
  /** What the options say by name about one tool; `undefined` when they say nothing of it. */
  of(toolName: string): ResolvedReferences | undefined;
}

/** What the settings of tools say. */
export function termsOf(
  auto: boolean,
  { toolsWithOptions, toolOptions }: Pick<PluginApi, "toolsWithOptions" | "toolOptions">,
): ReferenceTerms {
  const isNever = (tool: string): boolean => toolOptions(tool) === false;
  return {
    auto,
    named: toolsWithOptions.filter((tool) => !isNever(tool)),
    never: toolsWithOptions.filter(isNever),
    of(toolName) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by `settingSchema`
      const own = toolOptions(toolName) as ReferenceSetting | false | undefined;
      if (own === false || own === undefined) return undefined;
      if (own === true) return { parameters: undefined, maxBytes: DEFAULT_MAX_BYTES };
      const { parameters, maxBytes = DEFAULT_MAX_BYTES } = isList(own) ? { parameters: own } : own;
      return { parameters, maxBytes };
    },
  };
}

function isList(value: Exclude<ReferenceSetting, true>): value is readonly string[] {
  return Array.isArray(value);
}

/** The sentence of a descriptor that says where its output may be passed, and how. */
export function referenceSentence(
  { auto, named, ...terms }: ReferenceTerms,
  { media }: Partial<Pick<StoredArtifact, "media">>,
): string {
  if (media !== undefined)
    return `{"${REFERENCE_MARK}": file_path} passes it to a tool that takes it, in base64.`;
  const tools = named.slice(0, MAX_NAMED_TOOLS).map((tool) => {
    const parameters = terms.of(tool)?.parameters;
    return parameters === undefined ? tool : `${tool} (${parameters.join(", ")})`;
  });
  const where = auto
    ? "an argument whose description offers it"
    : `arguments of ${tools.join(", ")}`;
  return `{"${REFERENCE_MARK}": file_path} as ${where} passes this output on without retyping, with "jq": filter a part of it.`;
}
