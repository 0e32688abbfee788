import type { MessagePort } from "node:worker_threads";

import type { BodyForm, DataSource } from "../../core/engines/data-source.js";
import type { WasmModule } from "../../core/engines/wasm-runtime.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { RunningCall } from "../../core/types/running-call.js";

/** A body as code reads it, there until its run has ended. */
export interface CodeBody extends BodyForm {
  readonly id: string;
  /** Without the header line. */
  readonly source: DataSource;
  /** Where records are in a document that has several sets. */
  readonly sets: StoredArtifact["sets"];
}

/** What code has made that shall be an output of its own. */
export interface MadeOutput {
  /** What it returned, what it printed, or what it saved under a name. */
  readonly from: "returned" | "printed" | { readonly savedAs: string };
  readonly form: "json" | "text";
  /** UTF-8, in pieces of any length. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** One call of a tool, as code makes it. */
export interface CodeToolCall {
  readonly toolName: string;
  /** Any JSON value, unchecked. */
  readonly args: unknown;
  /** From 0, in the order in which the code began its calls. */
  readonly index: number;
}

/** What became of a call: a JSON value, the id under which a large result was stored, or the message of an exception. */
export type CodeToolResult =
  | { readonly json: string }
  | { readonly storedId: string }
  | { readonly error: string };

/** Tools that one run of code may call. What `call` throws is an exception in the code, by its message. */
export interface CodeTools {
  readonly names: readonly string[];
  call(call: CodeToolCall): Promise<CodeToolResult>;
}

/** Where the state of a call has the tools that its code may use. */
const TOOLS = "code";

/** Lets the code of a call use these tools. */
export function offerTools(state: Map<string, unknown>, tools: CodeTools): void {
  state.set(TOOLS, tools);
}

/** The tools that the code of a call may use; `undefined` where it may use none. */
export function offeredTools({ state }: RunningCall): CodeTools | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody else writes under this key
  return state?.get(TOOLS) as CodeTools | undefined;
}

/** What a run asks of the thread that began it. What it throws is an exception in the code, by its message. */
export interface CodeHost {
  /** Finds the output that code names. */
  open(reference: string): Promise<CodeBody>;
  /** Stores what the code has made, and gives its id. */
  keep(made: MadeOutput): Promise<string>;
  readonly tools?: CodeTools | undefined;
}

/** One run. */
export interface CodeRequest {
  readonly code: string;
  readonly host: CodeHost;
  /** A returned value, or printed lines, of more bytes are kept by the host. */
  readonly maxOutputBytes: number;
}

/** What a run returned or printed: a text, or the id of the output that it was stored as. */
export type CodeMade = { readonly form: MadeOutput["form"] } & (
  | { readonly text: string; readonly keptAs?: undefined }
  | { readonly text?: undefined; readonly keptAs: string }
);

/** What was wrong with the code, or with its data. */
export interface CodeFault {
  /** `SyntaxError: …`, shortened. */
  readonly message: string;
  /** From 1; absent where the engine knows none. */
  readonly line?: number | undefined;
  /** That line of the code, shortened. */
  readonly source?: string | undefined;
}

/** What a worker answers. */
export interface CodeReply {
  readonly returned?: CodeMade | undefined;
  readonly printed?: CodeMade | undefined;
  /** What it read, in the order in which it was opened: of each output and unit, its longest pass. */
  readonly read: readonly CodeRead[];
  /** Whether it read numbers that may be integers beyond 2^53. */
  readonly hasLongIntegers?: boolean;
  readonly fault?: CodeFault | undefined;
  readonly outOfMemory?: boolean;
  /** Whether the time was over before its end. */
  readonly timedOut?: boolean;
}

/** How much of an output was read. */
export interface CodeRead {
  readonly id: string;
  readonly unit: "records" | "lines" | "bytes";
  readonly count: number;
  /** Whether it was read to its end. */
  readonly isWhole: boolean;
}

/** What became of a run. */
export interface CodeResult extends CodeReply {
  readonly saved: readonly { readonly id: string; readonly name: string }[];
  readonly toolCallCount: number;
  readonly durationMs: number;
}

/** Runs JavaScript in a sandbox, off the event loop, without environment, files, modules or network. */
export interface CodeEngine {
  /**
   * Runs one piece of code from a fresh start. What is wrong with it is in the result's `fault`.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many runs wait or the engine is closed.
   * @throws The signal's reason when it is aborted.
   */
  run(request: CodeRequest, signal?: AbortSignal): Promise<CodeResult>;
  /** Starts a worker ahead of the first run. */
  warm(): void;
  close(): Promise<void>;
}

/** What a worker has from its start. */
export interface CodeWorkerData {
  /** The guest's engine, whose memory cannot grow beyond its maximum. */
  readonly guestModule: WasmModule;
  readonly guestMemoryBytes: number;
}

/** One run, as its worker gets it. */
export interface CodeJob {
  readonly code: string;
  readonly toolNames: readonly string[];
  readonly maxOutputBytes: number;
  /** Of all that the run stores. */
  readonly maxKeptBytes: number;
  readonly softTimeoutMs: number;
  /** Reaches the thread that began the run. */
  readonly port: MessagePort;
  /** Counts its answers, so that a worker can wait for the next one without its event loop. */
  readonly bell: Int32Array;
}

/** What a run asks of the thread that began it, each question under a key of its own. */
export type CodeAsk = { readonly key: number } & (
  | { readonly kind: "open"; readonly reference: string }
  | ({ readonly kind: "keep" } & Pick<MadeOutput, "from" | "form">)
  /** Of what is kept under the key. */
  | { readonly kind: "piece"; readonly text: string }
  /** All pieces were sent, or no more come and nothing shall be stored. */
  | { readonly kind: "end" | "drop" }
  | ({ readonly kind: "call"; readonly argsJson: string } & Omit<CodeToolCall, "args">)
);

/** What it is answered under that key: that a piece was taken, or what came of the question. */
export type CodeAnswer = { readonly key: number } & ({ readonly isTaken: true } | CodeAnswered);

/** What came of a question: a body of `open`, an id of `keep`, a result of `call`. */
export type CodeAnswered = CodeToolResult | { readonly body: CodeBody } | { readonly id: string };
