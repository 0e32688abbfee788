import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/** A tool as a model is told of it. */
export interface BoundTool {
  readonly name: string;
  /** Its parameters, each with its part of the JSON Schema. */
  readonly parameters: Readonly<Record<string, object>>;
}

/** Reads what was bound to a model. */
export function boundTool(given: unknown): BoundTool {
  const { function: described } = convertToOpenAITool(
    given as Parameters<typeof convertToOpenAITool>[0],
  );
  const { properties = {} } = (described.parameters ?? {}) as {
    properties?: Record<string, object>;
  };
  return { name: described.name, parameters: properties };
}

/** The first tool whose name speaks of this. */
export function findTool(tools: readonly BoundTool[], name: RegExp): BoundTool | undefined {
  return tools.find((tool) => name.test(tool.name));
}

/** Arguments that a tool leaves no choice about. */
export function fixedArguments({ parameters }: BoundTool): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, schema]) => "const" in schema)
      .map(([name, schema]) => [name, Reflect.get(schema, "const")]),
  );
}

/** The name of the first of these parameters that a tool has. */
export function parameterOf(
  { parameters }: BoundTool,
  names: readonly string[],
): string | undefined {
  return names.find((name) => Object.hasOwn(parameters, name));
}
