import {
  DEFAULT_MAX_BYTES,
  FIRST_REFERENCE_NOTE,
  isAuto,
  neverIn,
  REFERENCE_NOTE,
  type ReferenceOptions,
  referencesOf,
  type ResolvedReferences,
  toolsNamedIn,
} from "../../../describe/references.js";
import { dataParameters } from "../../../references/data-parameters.js";
import { fieldOf } from "../../../util/field-of.js";
import { keepLatest } from "../../../util/keep-latest.js";
import { isStrict, jsonSchemaOf, type ShownTool, withReferenceSchema } from "./reference-schema.js";

/** What one tool takes. */
export interface TakenReferences extends ResolvedReferences {
  /** By the tool's schema, and not by what the options say of the tool. */
  readonly byItself: boolean;
}

/** Which tools of an agent take references, and how a model is shown them. */
export interface ReferenceRules {
  /** What a tool takes; one that is not known takes what was shown last under its name. */
  takenBy(toolName: string, tool: unknown): TakenReferences | undefined;
  /** The tools of a model call, each as it is or with its notes: the same in every call, so that prompt caches stay warm. */
  shown<Tool extends object>(tools: readonly Tool[]): readonly (Tool | ShownTool)[];
}

/** Notes of an agent's tools that nobody has named: about 150 tokens. */
const MAX_NOTES = 5;
const MAX_NAMES = 1_000;

/**
 * The rules of one agent.
 *
 * @param ownTools - Tools of this library, which take none.
 */
export function createReferenceRules(
  options: ReferenceOptions | undefined,
  ownTools: ReadonlySet<string>,
): ReferenceRules {
  const judged = new WeakMap<object, TakenReferences | "none">();
  const shownAs = new WeakMap<object, ShownTool | "same">();
  const lastOfName = new Map<string, TakenReferences | "none">();
  let notesLeft = MAX_NOTES;
  let isFirst = true;

  function judge(name: string, tool: unknown): TakenReferences | undefined {
    if (ownTools.has(name)) return undefined;
    const named = referencesOf(options, name);
    if (named !== undefined) return { ...named, byItself: false };
    if (!isAuto(options) || neverIn(options)?.includes(name) === true) return undefined;
    const parameters = dataParametersOf(tool).map((parameter) => parameter.name);
    return parameters.length === 0
      ? undefined
      : { parameters, maxBytes: DEFAULT_MAX_BYTES, byItself: true };
  }

  function takenBy(name: string, tool: unknown): TakenReferences | undefined {
    if (typeof tool !== "object" || tool === null) {
      const last = lastOfName.get(name) ?? judge(name, undefined);
      return last === "none" ? undefined : last;
    }
    let taken = judged.get(tool);
    if (taken === undefined) judged.set(tool, (taken = judge(name, tool) ?? "none"));
    return taken === "none" ? undefined : taken;
  }

  /** Where the notes stand: where the options name a tool, else on what takes data, likeliest first, while there are notes left. */
  function notesOf(
    fresh: readonly { readonly name: string; readonly tool: object }[],
  ): ReadonlyMap<object, ReadonlyMap<string, string>> {
    const notes = new Map(fresh.map(({ tool }) => [tool, new Map<string, string>()]));
    const note = (tool: object, parameters: readonly string[]): void => {
      for (const [name, text] of notesFor(parameters, { isFirst }))
        notes.get(tool)?.set(name, text);
      if (parameters.length > 0) isFirst = false;
    };
    const sought = fresh.flatMap(({ name, tool }) => {
      const taken = isStrict(tool) ? undefined : takenBy(name, tool);
      if (taken === undefined) return [];
      if (toolsNamedIn(options).includes(name)) {
        note(tool, notedParameters(tool, taken));
        return [];
      }
      return dataParametersOf(tool).map((parameter) => ({ ...parameter, tool }));
    });
    for (const { name, tool } of sought.toSorted((one, other) => one.rank - other.rank)) {
      if (notesLeft === 0) break;
      notesLeft -= 1;
      note(tool, [name]);
    }
    return notes;
  }

  return {
    takenBy,
    shown(tools) {
      const fresh = tools.flatMap((tool) => {
        const name = fieldOf(tool, "name");
        return shownAs.has(tool) || typeof name !== "string" ? [] : [{ name, tool }];
      });
      const notes = notesOf(fresh);
      for (const { name, tool } of fresh) {
        const own = notes.get(tool);
        shownAs.set(tool, own?.size ? withReferenceSchema(tool, own) : "same");
        keepLatest(lastOfName, name, takenBy(name, tool) ?? "none", MAX_NAMES);
      }
      return tools.map((tool) => {
        const as = shownAs.get(tool) ?? "same";
        return as === "same" ? tool : as;
      });
    },
  };
}

/** What these parameters say, of which the first of an agent says it in full. */
export function notesFor(
  parameters: readonly string[],
  { isFirst }: { readonly isFirst: boolean },
): ReadonlyMap<string, string> {
  return new Map(
    parameters.map((name, index) => [
      name,
      isFirst && index === 0 ? FIRST_REFERENCE_NOTE : REFERENCE_NOTE,
    ]),
  );
}

/** The parameters of a named tool that say so: those that are named, or that take data, or else all. */
export function notedParameters(
  tool: object,
  { parameters }: ResolvedReferences,
): readonly string[] {
  if (parameters !== undefined) return parameters;
  const data = dataParametersOf(tool).map(({ name }) => name);
  return data.length > 0 ? data : parametersOf(tool);
}

function dataParametersOf(tool: unknown): ReturnType<typeof dataParameters> {
  try {
    const schema = fieldOf(tool, "schema");
    return typeof schema === "object" && schema !== null
      ? dataParameters(jsonSchemaOf(schema))
      : [];
  } catch {
    // A schema that cannot be told as JSON.
    return [];
  }
}

function parametersOf(tool: unknown): readonly string[] {
  return Object.keys(Object(fieldOf(jsonSchemaOf(fieldOf(tool, "schema")), "properties")));
}
