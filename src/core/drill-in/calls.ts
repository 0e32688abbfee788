import type { CarriedArtifact, StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import { NEXT_CALL } from "./answer.js";
import type { CheckedArguments } from "./arguments.js";
import type { DrillInToolDefinition, StatedArguments, ToolShape } from "./tools.js";

/** An answer names an argument only if {@link has} says that the tool has it, or the call itself had it. */
export interface CallPrinter {
  has(tool: string, name: string): boolean;
  /**
   * @param args - `id` is the file name by default.
   * @param given - What the call before had: may be stated again, shown or not.
   */
  call(
    tool: string,
    artifact: CarriedArtifact,
    args: StatedArguments,
    given?: StatedArguments,
  ): string | undefined;
}

export function modelCalls(
  names: DrillInToolNames,
  shapes: readonly ToolShape[],
  definitions: readonly DrillInToolDefinition[],
): CallPrinter {
  const shapeOf = (tool: string): ToolShape | undefined =>
    shapes.find((shape) => shape.tool === tool);
  const definitionOf = (tool: string): DrillInToolDefinition | undefined =>
    definitions.find(({ key }) => key === tool);
  const stateOf = (tool: string, ...of: Parameters<ToolShape["state"]>): StatedArguments =>
    shapeOf(tool)?.state(...of) ?? of[0];
  const isShown = (tool: string, stated: StatedArguments, given: StatedArguments = {}): boolean => {
    const shown = (shapeOf(tool) ?? definitionOf(tool))?.schema.shape ?? {};
    return Object.entries(stated).every(
      ([name, value]) =>
        value === undefined || Object.hasOwn(shown, name) || given[name] !== undefined,
    );
  };
  return {
    has(tool, name) {
      return isShown(tool, stateOf(tool, { [name]: true }, { fileName: "" }));
    },
    call(tool, artifact, { id = artifact.fileName, ...others }, given = {}) {
      const isByPath = definitionOf(tool)?.schema.shape["file_path"] !== undefined;
      const args = { [isByPath ? "file_path" : "id"]: id, ...others };
      const stated = stateOf(tool, args, artifact);
      if (!isShown(tool, stated, stateOf(tool, given, artifact))) return undefined;
      const name = shapeOf(tool)?.name ?? names[tool];
      return `${name === undefined ? "" : `${name} `}${JSON.stringify(stated)}`;
    },
  };
}

/** Changed arguments; `undefined` removes one. */
export type NextPlace = Readonly<Record<string, number | undefined>>;

const MAX_CALL_CHARACTERS = 1000;
const MAX_REPEATED_CHARACTERS = 80;
const PLACES: ReadonlySet<string> = new Set([
  "id",
  "file_path",
  "with",
  "skip",
  "limit",
  "max_tokens",
]);

/** `undefined` if the tool cannot express it, or it would repeat too much. */
export function nextCall(
  calls: CallPrinter,
  tool: string,
  artifact: StoredArtifact,
  checked: CheckedArguments,
  place: NextPlace,
  others?: StatedArguments,
): string | undefined {
  const told = Object.entries(checked.given).filter(
    ([name, value]) => !PLACES.has(name) && value !== 0,
  );
  // A title may become another output's.
  const { reference } = checked;
  const isNamed = reference.includes(artifact.id) && reference.length <= MAX_REPEATED_CHARACTERS;
  const args = {
    id: isNamed ? reference : artifact.id,
    ...Object.fromEntries(told),
    ...place,
    with: others,
    max_tokens: calls.has(tool, "max_tokens") ? checked.count("max_tokens") : undefined,
  };
  const stated = calls.call(tool, artifact, args, checked.given);
  const isShort = stated !== undefined && stated.length <= MAX_CALL_CHARACTERS;
  return isShort ? `${NEXT_CALL}${stated}` : undefined;
}
