import type { Readable } from "node:stream";
import type { MessagePort } from "node:worker_threads";

import type { BodyForm, DataSource } from "../../core/engines/data-source.js";
import type { Engine, RunEnd } from "../../core/engines/run-status.js";
import type { WasmModule } from "../../core/engines/wasm-runtime.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { RunningCall } from "../../core/types/running-call.js";

export interface CodeBody extends BodyForm {
  readonly id: string;
  readonly source: DataSource;
  readonly sets: StoredArtifact["sets"];
}

interface SavedAs {
  readonly savedAs: string;
  /** Of an object, which code reads as it saved it. */
  readonly fileFormat?: "original" | undefined;
}

export interface MadeOutput {
  readonly from: "returned" | "printed" | SavedAs;
  /** UTF-8, in pieces of any length. */
  readonly pieces: Readable;
}

export interface CodeToolCall {
  readonly toolName: string;
  readonly args: unknown;
  /** Of the call that runs the code. */
  readonly turn?: string | undefined;
}

export type CodeToolResult =
  | { readonly json: string }
  | { readonly storedId: string }
  | { readonly error: string };

export interface CodeTools {
  readonly names: readonly string[];
  /** In the order in which the code began its calls. */
  call(call: CodeToolCall): Promise<CodeToolResult>;
  /** Lines for the model on what came beside the results that code got. */
  readonly beside?: Iterable<string>;
}

const TOOLS = "code";

export function offerTools(state: Map<string, unknown>, tools: CodeTools): void {
  state.set(TOOLS, tools);
}

export function offeredTools({ state }: RunningCall): CodeTools | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `offerTools` writes this key
  return state?.get(TOOLS) as CodeTools | undefined;
}

export interface CodeHost {
  open(reference: string): Promise<CodeBody>;
  keep(made: MadeOutput): Promise<string>;
  readonly tools?: CodeTools | undefined;
}

export interface CodeRequest {
  readonly code: string;
  readonly host: CodeHost;
  readonly maxOutputBytes: number;
}

/** Its text, or the id under which it was kept. */
export interface CodeMade {
  readonly form: "json" | "text";
  readonly text?: string;
  readonly keptAs?: string;
}

export interface CodeResult extends RunEnd {
  readonly returned?: CodeMade | undefined;
  readonly printed?: CodeMade | undefined;
  /** Whether it read numbers that may be integers beyond 2^53. */
  readonly hasLongIntegers?: boolean;
}

export type CodeEngine = Engine<CodeRequest, CodeResult>;

export interface CodeWorkerData {
  readonly sandboxModule: WasmModule;
  readonly sandboxMemoryBytes: number;
}

export interface CodeJob {
  readonly code: string;
  readonly toolNames: readonly string[];
  readonly maxOutputBytes: number;
  readonly maxKeptBytes: number;
  readonly softTimeoutMs: number;
  readonly port: MessagePort;
  readonly bell: Int32Array;
}

export type CodeAsk = { readonly key: number } & (
  | { readonly kind: "open"; readonly reference: string }
  | { readonly kind: "keep"; readonly from: MadeOutput["from"] }
  /** A piece of the output with this key. */
  | { readonly kind: "piece"; readonly text: string }
  /** All pieces were sent. */
  | { readonly kind: "end" }
  | ({ readonly kind: "call"; readonly argsJson: string } & Omit<CodeToolCall, "args">)
);

export interface CodeAnswer {
  readonly key: number;
  /** Whether a piece was taken, and the store waits for the next one. */
  readonly isTaken?: true;
  readonly body?: CodeBody;
  readonly id?: string;
  readonly result?: CodeToolResult | undefined;
  readonly error?: string;
}
