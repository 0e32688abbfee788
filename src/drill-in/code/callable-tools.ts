import type { CodeRequest, CodeToolCall } from "./request.js";
import type { SavesOfRun } from "./made/saves.js";

export type { SavedOutput } from "./made/saves.js";

/** What became of a call: a JSON value, the id under which a large result was stored, or an exception with that message. */
export type CallResult =
  | { readonly json: string }
  | { readonly storedId: string }
  | { readonly error: string };

/** Tools of an agent, as whoever reaches them offers them to one run of code. */
export interface CallableTools {
  readonly names: readonly string[];
  /** What the run begins with, so that one that is resumed makes the same calls. */
  readonly repeatable: NonNullable<CodeRequest["repeatable"]>;
  readonly saves: SavesOfRun;
  /** What it throws ends the run, and the run throws it: code cannot catch it. */
  call(call: CodeToolCall): Promise<CallResult>;
}
