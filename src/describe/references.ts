/** Which arguments of a tool may stand for stored outputs. */
interface ReferenceParameters {
  /** Names of the parameters. @defaultValue all */
  readonly parameters?: readonly string[];
  /** Largest sum of the data that one call is given in place of references, in bytes. @defaultValue 16,777,216 (16 MiB) */
  readonly maxBytes?: number;
}

/**
 * Tools whose arguments may stand for stored outputs, by the tool's name; `true` for all parameters
 * of a tool, or for all tools.
 */
export type ReferenceOptions =
  | true
  | Readonly<Record<string, true | readonly string[] | ReferenceParameters>>;

/** What holds for one tool. */
export interface ResolvedReferences {
  /** `undefined` for all. */
  readonly parameters: readonly string[] | undefined;
  readonly maxBytes: number;
}

/** The key of a reference that names the output. */
export const REFERENCE_MARK = "$output";

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** What a model is told of the form, wherever it is told. */
export const REFERENCE_FORM: string =
  '{"$output": id} with the id or file_path of a stored output passes all of it without retyping it; ' +
  '"jq" (a filter, run as the jq tool runs it; "slurp": true for all records as one array), "lines" ([first, last]) ' +
  'or "recipe" (with "params") passes a part.';

/** Tools that a descriptor names; the descriptions of the others say it too. */
const MAX_NAMED_TOOLS = 5;

/** The sentence of a descriptor that says where its output may be passed; nothing where it may not. */
export function referenceSentence(options: ReferenceOptions | undefined): string {
  const tools = options === undefined || options === true ? [] : Object.keys(options);
  const named = tools.slice(0, MAX_NAMED_TOOLS).map((tool) => {
    const parameters = referencesOf(options, tool)?.parameters;
    return parameters === undefined ? tool : `${tool} (${parameters.join(", ")})`;
  });
  if (options !== true && named.length === 0) return "";
  const which =
    options === true
      ? "An argument whose description says so is"
      : `Arguments of ${named.join(", ")} are`;
  return `${which} filled in with this output for {"${REFERENCE_MARK}": file_path}.`;
}

/** What the options say about one tool; `undefined` when it takes no references. */
export function referencesOf(
  options: ReferenceOptions | undefined,
  toolName: string,
): ResolvedReferences | undefined {
  if (options === undefined) return undefined;
  const own = options === true || (Object.hasOwn(options, toolName) && options[toolName]);
  if (own === false || own === undefined) return undefined;
  if (own === true) return { parameters: undefined, maxBytes: DEFAULT_MAX_BYTES };
  const { parameters, maxBytes = DEFAULT_MAX_BYTES } = isList(own) ? { parameters: own } : own;
  return { parameters, maxBytes };
}

function isList(value: readonly string[] | ReferenceParameters): value is readonly string[] {
  return Array.isArray(value);
}
