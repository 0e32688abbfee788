import type { ToolMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";

import type { CodeCalls } from "../../../drill-in/code/call-options.js";
import type { OffloadListener } from "../../../events.js";
import type { Offloader } from "../../../offload/create-offloader.js";
import type { ActionCall } from "./approval.js";
import type { CallLog } from "./call-log.js";
import type { ResumableTask } from "./task-state.js";

/** Calls a tool of the agent, as a call of the model with this id would. */
export type InvokeTool = (
  call: ActionCall & { readonly id: string },
) => Promise<ToolMessage | Command>;

/** What the calls of one run are made with. */
export interface RunParts {
  readonly offloader: Offloader;
  readonly calls: CodeCalls;
  /** Of these tools. */
  readonly names: readonly string[];
  readonly invoke: InvokeTool;
  readonly log: CallLog;
  /** `undefined` where nobody can be asked. */
  readonly task: ResumableTask | undefined;
  readonly sessionId: string;
  /** Of the call whose code it is. */
  readonly callId: string;
  readonly signal: AbortSignal | undefined;
  readonly notify: OffloadListener;
  /** Runs something where the call of the code was made: what a worker tells comes in from anywhere. */
  readonly inContext: <T>(run: () => T) => T;
}

/** Why a run has ended before its code did: by what is thrown out of it, or with a sentence for the model. */
export type Stop = { readonly thrown: unknown } | { readonly sentence: string };

/** Ends a run for good. */
export class RunStopped extends Error {
  constructor() {
    super("The run of the code has ended.");
  }
}

/** The run, as its calls know it. */
export interface RunState extends RunParts {
  /** @throws {@link RunStopped} once the run has ended. */
  check(): void;
  /** Ends the run. `false` when something else has ended it before, which stays. */
  end(stop: Stop): boolean;
  /** The same. @throws {@link RunStopped} */
  stop(stop: Stop): never;
}
