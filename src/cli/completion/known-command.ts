import type { CommandOption } from "../command.js";

/** A command as the completion scripts know it. */
export interface KnownCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly (readonly [name: string, option: CommandOption])[];
  /** Words that may stand first beside the options; `ids` for ids of stored outputs. */
  readonly operand: "ids" | readonly string[];
}

/** Prints the ids that are there; only letters and digits come out of it. */
export const LIST_IDS = "langchain-offload ls --ids 2>/dev/null";
