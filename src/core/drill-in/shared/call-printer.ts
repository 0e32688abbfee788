import type { CarriedArtifact } from "../../types/artifact.js";

/** Arguments by the drill-in's own names; those that are `undefined` are left out. */
export type StatedArguments = Readonly<Record<string, unknown>>;

/** An argument that holds values by name: of variables, of a recipe, of other outputs. */
type HoldingArgument = "args" | "params" | "with";

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
  /** One argument within a sentence. */
  argument(tool: string, name: string, value: unknown): string;
  /** How to switch an argument on: `set slurp to true`; `undefined` when the tool has no such argument. */
  switchOn(tool: string, name: string): string | undefined;
  /**
   * An entry of an argument that holds several, with its value left open: `args: {"a": …}`; `undefined` when the tool
   * has no such argument.
   */
  entry(tool: string, name: HoldingArgument, key: string): string | undefined;
  /** What an argument is called. */
  nameOf(tool: string, name: string): string;
  /** The argument that says which output a call is on. */
  locator(tool: string): "file_path" | "id";
}
