import type { MessagePort } from "node:worker_threads";

import type { WasmModule } from "../../core/engines/wasm-runtime.js";
import type { CodeResult, CodeToolResult, MadeOutput } from "./request.js";

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
  readonly desk: DeskAddress;
}

/** Where a worker reaches the thread that began its run. */
export interface DeskAddress {
  readonly port: MessagePort;
  /** Counts the answers, so that a worker can wait for the next one without its event loop. */
  readonly bell: Int32Array;
}

/** What a run asks of the thread that began it, each question under a key of its own. */
export type CodeAsk = { readonly key: number } & (
  | { readonly kind: "open"; readonly reference: string }
  | ({ readonly kind: "keep" } & Pick<MadeOutput, "from" | "form">)
  /** Of what is kept under the key. */
  | { readonly kind: "piece"; readonly bytes: Uint8Array }
  /** All pieces were sent, or no more come and nothing shall be stored. */
  | { readonly kind: "end" | "drop" }
  | {
      readonly kind: "call";
      /** From 0, in the order of the calls. */
      readonly index: number;
      readonly toolName: string;
      readonly argsJson: string;
    }
);

/** What it is answered under that key: that a piece was taken, or what came of the question. */
export type CodeAnswer = { readonly key: number } & ({ readonly isTaken: true } | CodeAnswered);

/** What came of a question: a body of `open`, an id of `keep`, any but an id of `call`. */
export type CodeAnswered = CodeToolResult | { readonly id: string };

/** What a worker answers in the end, or tells of a run that goes on. */
export type CodeReply = Omit<CodeResult, "durationMs" | "saved" | "toolCallCount">;

/** Of a run that has told nothing. */
export const NOTHING_DONE: CodeReply = {
  returned: undefined,
  printed: undefined,
  read: [],
  fault: undefined,
  outOfMemory: false,
  timedOut: false,
};

/** Longest message of the host's that code sees, in UTF-16 code units. */
export const MAX_MESSAGE_CHARACTERS = 2000;
