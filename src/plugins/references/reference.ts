import * as z from "zod";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { PluginApi } from "../../core/types/plugin.js";
import { modelName as name, oneOf } from "../../util/option-rules.js";
import { artifactIdIn } from "../../core/store/naming.js";
import { ownFieldOf } from "../../util/field-of.js";

const REFERENCE_MARK = "$output";

export const FIRST_REFERENCE_NOTE: string = `Or {"${REFERENCE_MARK}": id, "jq": "filter"}: a stored output. The filter runs on each record, and its results are one list; on a document once, and a single result is passed alone. Without jq: all of it.`;

export const REFERENCE_NOTE: string = `Or {"${REFERENCE_MARK}": id}.`;

/** Of the data of one call, together. */
export const MAX_DATA_BYTES: number = 16 * 1024 * 1024;

const MAX_NAMED_TOOLS = 5;

/** `perTool.X.plugins.references` besides `false`: `true` for all parameters, or names of parameters. */
type ReferenceSetting = true | readonly string[];

export const settingSchema: z.ZodType = oneOf(
  [z.literal(true), z.array(name)],
  "true, false, or names of parameters",
);

export interface ResolvedReferences {
  /** `undefined` for all. */
  readonly parameters: readonly string[] | undefined;
}

export interface ReferenceTerms {
  readonly auto: boolean;
  readonly named: readonly string[];
  readonly never: readonly string[];
  /** What the options set for this tool; `undefined` for nothing. */
  of(toolName: string): ResolvedReferences | undefined;
}

export function termsOf(
  auto: boolean,
  { toolsWithOptions, toolOptions }: Pick<PluginApi, "toolsWithOptions" | "toolOptions">,
): ReferenceTerms {
  const isNever = (tool: string) => toolOptions(tool) === false;
  return {
    auto,
    named: toolsWithOptions.filter((tool) => !isNever(tool)),
    never: toolsWithOptions.filter(isNever),
    of(toolName) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by `settingSchema`
      const own = toolOptions(toolName) as ReferenceSetting | false | undefined;
      if (own === false || own === undefined) return undefined;
      return { parameters: own === true ? undefined : own };
    },
  };
}

export function referenceSentence(
  { auto, named }: ReferenceTerms,
  { media }: Partial<Pick<StoredArtifact, "media">>,
): string {
  if (media !== undefined)
    return `{"${REFERENCE_MARK}": file_path} passes it to a tool that takes it, in base64.`;
  const where = auto
    ? "an argument whose description offers it"
    : `an argument of ${named.slice(0, MAX_NAMED_TOOLS).join(", ")}`;
  return `To pass this output on without retyping it, give {"${REFERENCE_MARK}": file_path} as ${where}; with "jq": filter, a part of it.`;
}

export interface Reference {
  readonly output: string;
  readonly jq?: string | undefined;
  readonly is?: unknown;
}

export type ReferenceResult =
  | { readonly reference: Reference; readonly problem?: undefined }
  | { readonly reference: undefined; readonly problem: string };

const form = z.strictObject({
  [REFERENCE_MARK]: z.string(),
  jq: z.string("jq is a filter, as text.").nullish(),
  is: z.unknown().optional(),
});

/** No reference written as text is longer, in UTF-16 code units. */
const MAX_TEXT_CHARACTERS = 20_000;
const MAX_SEARCHED_VALUES = 10_000;

/**
 * A value counts as a reference when it has the complete form, or is malformed but names an output
 * by its id. Everything else is data.
 */
export function readReference(value: unknown): ReferenceResult | undefined {
  if (typeof value === "string") {
    return isReferenceText(value)
      ? refuse(`Pass the reference itself, not a string of it: ${value.trim().slice(0, 200)}`)
      : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (typeof ownFieldOf(value, REFERENCE_MARK) === "string") {
    const { success, data, error } = form.safeParse(value);
    if (success)
      return { reference: { output: data[REFERENCE_MARK], jq: data.jq ?? undefined, is: data.is } };
    if (namesOutput(value)) return refuse(error.issues[0]?.message.slice(0, 200) ?? "");
  }
  return holdsReference(value)
    ? refuse(
        `A reference stands for a whole argument, not for a part of one. To combine data, use jq in it.`,
      )
    : undefined;
}

function namesOutput(value: unknown): boolean {
  const output = ownFieldOf(value, REFERENCE_MARK);
  return typeof output === "string" && artifactIdIn(output) !== undefined;
}

function refuse(problem: string): ReferenceResult {
  return { reference: undefined, problem };
}

function isReferenceText(text: string): boolean {
  if (text.length > MAX_TEXT_CHARACTERS || !text.includes(`"${REFERENCE_MARK}"`)) return false;
  try {
    return namesOutput(JSON.parse(text));
  } catch {
    return false;
  }
}

function holdsReference(value: object): boolean {
  const open: object[] = [value];
  const seen = new Set<object>(open);
  for (const item of open) {
    for (const inner of Object.values(item)) {
      if (typeof inner !== "object" || inner === null || seen.has(inner)) continue;
      if (namesOutput(inner)) return true;
      if (seen.size >= MAX_SEARCHED_VALUES) return false;
      seen.add(inner);
      open.push(inner);
    }
  }
  return false;
}
