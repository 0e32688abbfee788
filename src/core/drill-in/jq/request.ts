import type { StatedArguments } from "../shared/call-printer.js";
import type { NamedOutput } from "../shared/named-outputs.js";

/** One run of jq for a model: what runs, and how its results are printed. */
export interface JqRequest {
  readonly filter: string;
  readonly slurp: boolean;
  /** Strings without quotes. */
  readonly raw: boolean;
  /** One result a line. */
  readonly compact: boolean;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Outputs that are variables too. */
  readonly others: readonly NamedOutput[];
  /** Results that are left out at the beginning. */
  readonly skip: number;
  /** Most results; `undefined` for as many as fit. */
  readonly limit: number | undefined;
  /** What is to be said beside the results. */
  readonly note?: string | undefined;
  /** The call that asked for it, but for its place and its output. */
  readonly call: { readonly tool: "jq" | "extract"; readonly args: StatedArguments };
}

/** Where a call goes on. */
export interface NextPlace {
  readonly skip: number;
  readonly limit?: number | undefined;
}
