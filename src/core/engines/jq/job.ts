import type { OutlinedDocument } from "../../describe/outlines/outline-of.js";
import type { Outline } from "../../describe/outlines/outline.js";
import type { BodyForm, DataSource } from "../data-source.js";
import type { SetLines } from "../readers/record-readers.js";
import { ENDED, type RunEnd } from "../run-status.js";
import type { WasmModule } from "../wasm-runtime.js";
import type { JsonObject } from "../../../util/is-record.js";

export interface JqWorkerData {
  readonly jqModule: WasmModule;
}

/**
 * `records` and `document` as JSON values, `rows` as objects of strings, `text` as a string per line, or one value
 * for markup.
 */
export interface JqInput extends BodyForm {
  readonly source: DataSource;
  readonly set?: SetLines | undefined;
}

/** An array of the body's values, or the document. */
export interface JqVariable extends JqInput {
  readonly name: string;
}

export interface JqRequest extends JqInput {
  readonly bodies?: readonly JqVariable[] | undefined;
  readonly filter: string;
  readonly slurp?: boolean | undefined;
  readonly args?: JsonObject | undefined;
  /** Default 0. */
  readonly skip?: number | undefined;
  /** Default: as many as fit. */
  readonly limit?: number | undefined;
  readonly maxOutputBytes: number;
}

export interface JqJob extends Omit<JqRequest, "args"> {
  readonly bodies: readonly JqVariable[];
  readonly slurp: boolean;
  /** The variables, as arguments of jq. */
  readonly values: readonly string[];
  readonly maxMemoryBytes: number;
  readonly softTimeoutMs: number;
}

export interface OutlineJob {
  readonly document: OutlinedDocument;
}

export const UNREADABLE = "The data cannot be read";

export interface JqResult extends RunEnd {
  readonly output: string;
  readonly resultCount: number;
  readonly truncated: boolean;
  /** Of an {@link OutlineJob}. */
  readonly outline?: Outline | undefined;
}

export const NO_RESULTS: JqResult = { output: "", resultCount: 0, truncated: false, ...ENDED };

export const TOO_DEEP: JqResult = {
  ...NO_RESULTS,
  error: "A value is nested deeper than jq allows, about 600 levels.",
};
