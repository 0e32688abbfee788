import { toJsonSchema } from "@langchain/core/utils/json_schema";

import {
  FIRST_REFERENCE_NOTE,
  REFERENCE_NOTE,
  type ReferenceTerms,
  type ResolvedReferences,
} from "../../../plugins/references/reference.js";
import { dataParameters } from "../../../plugins/references/data-parameters.js";
import { recordOf, stringOf } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";

export interface TakenReferences extends ResolvedReferences {
  readonly byItself: boolean;
}

export type ReferenceRules = ReturnType<typeof createReferenceRules>;

type Notes = ReadonlyMap<string, string>;

const MAX_NOTES = 5;
const RANK_OF_NAMED = -1;

/** Looks at the tool itself and not only at its name, because agents may share a middleware. */
export function createReferenceRules(
  terms: ReferenceTerms,
  ownTools: ReadonlySet<string>,
): {
  takenBy(toolName: string, tool: unknown): TakenReferences | undefined;
  shown<Tool extends object>(tools: readonly Tool[]): readonly (Tool | ShownTool)[];
} {
  const copies = new WeakMap<object, { readonly key: string; readonly tool: ShownTool }>();

  function takenBy(name: string, tool: unknown): TakenReferences | undefined {
    if (ownTools.has(name)) return undefined;
    const stated = terms.of(name);
    if (stated !== undefined) return { ...stated, byItself: false };
    if (!terms.auto || terms.never.includes(name)) return undefined;
    const parameters = dataParametersOf(tool).map((parameter) => parameter.name);
    if (parameters.length === 0) return undefined;
    return { parameters, byItself: true };
  }

  function notesOf(tools: readonly object[]): ReadonlyMap<object, Notes> {
    const places = tools.flatMap((tool) => {
      const name = String(fieldOf(tool, "name"));
      const taken = isStrict(tool) ? undefined : takenBy(name, tool);
      if (taken === undefined) return [];
      const data = dataParametersOf(tool);
      if (taken.byItself) return data.map((one) => ({ tool, ...one }));
      // The named parameters, else those that take data, else all.
      const ofData =
        data.length > 0
          ? data.map((one) => one.name)
          : Object.keys(Object(fieldOf(jsonSchemaOf(fieldOf(tool, "schema")), "properties")));
      return (taken.parameters ?? ofData).map((own) => ({ tool, name: own, rank: RANK_OF_NAMED }));
    });
    const byRank = places.toSorted((one, other) => one.rank - other.rank);
    const ofNamed = byRank.filter(({ rank }) => rank === RANK_OF_NAMED).length;
    const notes = new Map<object, Map<string, string>>();
    for (const [index, { tool, name }] of byRank.slice(0, ofNamed + MAX_NOTES).entries()) {
      const own = notes.get(tool) ?? new Map<string, string>();
      notes.set(tool, own.set(name, index === 0 ? FIRST_REFERENCE_NOTE : REFERENCE_NOTE));
    }
    return notes;
  }

  function withNotes(tool: object, notes: Notes): ShownTool {
    const key = JSON.stringify([...notes]);
    let copy = copies.get(tool);
    if (copy?.key !== key) copy = { key, tool: withReferenceSchema(tool, notes) };
    copies.set(tool, copy);
    return copy.tool;
  }

  return {
    takenBy,
    shown(tools) {
      const notes = notesOf(tools);
      return tools.map((tool) => {
        const own = notes.get(tool);
        return own === undefined ? tool : withNotes(tool, own);
      });
    },
  };
}

type DataParameters = ReturnType<typeof dataParameters>;

const known = new WeakMap<object, DataParameters>();

function dataParametersOf(tool: unknown): DataParameters {
  const schema = fieldOf(tool, "schema");
  if (!isRecord(tool) || !isRecord(schema)) return [];
  let found = known.get(tool);
  try {
    found ??= dataParameters(jsonSchemaOf(schema));
  } catch {
    // The schema has no JSON form.
    found = [];
  }
  known.set(tool, found);
  return found;
}

export interface ShownTool extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Some providers allow no `$` in property names, so the note describes the reference form in words. */
export function withReferenceSchema(tool: object, notes: ReadonlyMap<string, string>): ShownTool {
  const schema = jsonSchemaOf(fieldOf(tool, "schema"));
  if (isRecord(schema["properties"])) {
    schema["properties"] = Object.fromEntries(
      Object.entries(schema["properties"]).map(([key, own]) => [
        key,
        takingReferences(own, notes.get(key)),
      ]),
    );
  }
  // Fields that provider packages read: deferred loading, cache control, custom tools.
  const forProviders = ["extras", "metadata"].map((key) => [key, fieldOf(tool, key)] as const);
  return {
    ...Object.fromEntries(forProviders.filter(([, value]) => value !== undefined)),
    name: String(fieldOf(tool, "name")),
    description: stringOf(fieldOf(tool, "description")) ?? "",
    schema,
  };
}

export function isStrict(tool: object): boolean {
  return fieldOf(tool, "strict") === true || fieldOf(fieldOf(tool, "extras"), "strict") === true;
}

function takingReferences(schema: unknown, note: string | undefined): unknown {
  if (note === undefined) return schema;
  const { description, ...own } = recordOf(schema) ?? {};
  const told = typeof description === "string" ? `${description}\n` : "";
  const takesObjects = Object.keys(own).length === 0 || own["type"] === "object";
  return {
    ...(takesObjects ? own : { anyOf: [own, { type: "object" }] }),
    description: `${told}${note}`,
  };
}

export function jsonSchemaOf(schema: unknown): Record<string, unknown> {
  const known = typeof schema === "object" && schema !== null ? schema : { type: "object" };
  return { ...toJsonSchema(known) };
}
