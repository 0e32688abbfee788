import type { CarriedArtifact, StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import {
  CORE_TOOLS,
  type DrillInToolDefinition,
  locatorOf,
  type StatedArguments,
  type ToolShape,
} from "./tools.js";

/**
 * Writes calls as the agent makes them, so that an answer needs no change after it was fitted to its limit. An
 * answer names an argument only where {@link has} says that the tool has it.
 */
export interface CallPrinter {
  /** Whether the definition of the tool that this agent is shown has the argument. */
  has(tool: string, name: string): boolean;
  /**
   * A whole call on one output, which the printer names itself; `undefined` when the tool that this agent is shown
   * lacks one of the arguments.
   *
   * @param isBrought - Whether the call before had such arguments: the tool takes them then, shown or not.
   */
  call(
    tool: string,
    artifact: CarriedArtifact,
    args: StatedArguments,
    isBrought?: boolean,
  ): string | undefined;
  /** What an argument is called. */
  nameOf(tool: string, name: string): string;
  /** The argument that says which output a call is on. */
  locator(tool: string): "file_path" | "id";
}

/**
 * Calls as a model makes them: the tool's name, if it has one, and its arguments as JSON. What a tool has is what its
 * definition shows.
 */
export function modelCalls(
  names: DrillInToolNames,
  shapes: readonly ToolShape[] = [],
  definitions: readonly DrillInToolDefinition[] = CORE_TOOLS,
): CallPrinter {
  const shapeOf = (tool: string): ToolShape | undefined =>
    shapes.find((shape) => shape.tool === tool);
  const definitionOf = (tool: string): DrillInToolDefinition | undefined =>
    definitions.find(({ key }) => key === tool);
  const locator = (tool: string): "file_path" | "id" => locatorOf(definitionOf(tool));
  const nameOf = (tool: string, name: string): string => shapeOf(tool)?.names[name] ?? name;
  const isShown = (tool: string, args: StatedArguments): boolean => {
    const shown = (shapeOf(tool) ?? definitionOf(tool))?.schema.shape ?? {};
    return Object.entries(args).every(
      ([name, value]) => value === undefined || Object.hasOwn(shown, name),
    );
  };
  const has = (tool: string, name: string): boolean => {
    const args = { [name]: true };
    return isShown(tool, shapeOf(tool)?.state(args, { fileName: "" }) ?? args);
  };
  return {
    has,
    call: (tool, artifact, given, isBrought = false) => {
      const shape = shapeOf(tool);
      const args = { [locator(tool)]: artifact.fileName, ...given };
      const stated = shape?.state(args, artifact) ?? args;
      if (!isBrought && !isShown(tool, stated)) return undefined;
      const name = shape?.name ?? names[tool];
      return `${name === undefined ? "" : `${name} `}${JSON.stringify(stated)}`;
    },
    nameOf,
    locator,
  };
}

/**
 * The printer for the answer to one call: its calls name the output as this call did, and those of the same tool
 * ask for the same length.
 *
 * @param reference - What the call called its output by.
 */
export function printerOfAnswer(
  calls: CallPrinter,
  tool: string,
  reference: string,
  maxTokens: number | undefined,
): CallPrinter {
  return {
    ...calls,
    call(called, artifact, args, isBrought) {
      const max_tokens = called === tool && calls.has(tool, "max_tokens") ? maxTokens : undefined;
      const located = { [calls.locator(called)]: knownReference(artifact, reference), ...args };
      const stated = max_tokens === undefined ? located : { ...located, max_tokens };
      return calls.call(called, artifact, stated, isBrought);
    },
  };
}

/** A longer one is not repeated: a long path would leave no room for data in a short answer. */
const MAX_REPEATED_CHARACTERS = 80;

/**
 * What a next call calls an output by: what this call did, when it is the id, the path, the title or the file name, which may
 * lack its extension; else the file name. The id, where that is too long.
 */
export function knownReference(
  { id, fileName, filePath, title }: Pick<StoredArtifact, "id" | "fileName" | "filePath" | "title">,
  reference: string,
): string {
  const isKnown = [id, filePath, title].includes(reference) || fileName.startsWith(reference);
  const known = isKnown ? reference : fileName;
  return known.length > MAX_REPEATED_CHARACTERS ? id : known;
}
