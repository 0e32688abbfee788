import type { InlineLimits } from "../decide/gate.js";
import type { Describer } from "../describe/describer.js";
import type { HeadAndTailInput } from "../describe/head-and-tail.js";
import type { Notify, OffloadListener } from "../types/events.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { LaidOut } from "../store/lay-out.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { Content, Measurement } from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import type { OutputSource } from "../types/plugin.js";

/** One output on its way through the pipeline. */
export interface Call {
  readonly output: ToolOutput;
  readonly source: OutputSource;
  /** Whether limits decide; otherwise it is stored whatever its size. */
  readonly isLimited: boolean;
  /** Instead of the one in the options. */
  readonly describer?: Describer | undefined;
  readonly sessionKey: string;
  readonly options: ResolvedToolOptions;
  readonly notify: Notify;
  readonly onEvent?: OffloadListener | undefined;
}

export interface Payload {
  readonly output: ToolOutput;
  /** `undefined` if the output has no text. */
  readonly text: string | undefined;
  readonly keptBlocks: readonly unknown[];
  readonly isWhole: boolean;
  readonly substitute?: ((set: unknown) => Payload) | undefined;
  /** Absent if more of a stream may come. Never rejects. */
  readonly hasRecords?: (() => Promise<boolean>) | undefined;
  /** Reads a stream to its end. @throws {@link StreamFault}, and if a stream cannot be kept */
  encode(): Promise<EncodedOutput>;
  /** @throws {@link StreamFault} */
  excerpt(): Promise<Excerpt>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface EncodedOutput extends LaidOut {
  readonly text: string;
  readonly measurement?: Measurement | undefined;
}

interface Excerpt extends Pick<HeadAndTailInput, "text" | "missing"> {
  readonly measurement?: Measurement | undefined;
  readonly content?: Content | undefined;
}

export type Decision =
  | { readonly action: "pass-on" }
  | { readonly action: "keep-inline"; readonly measurement: Measurement }
  | LeaveDecision;

export interface LeaveDecision {
  readonly action: ResolvedToolOptions["mode"];
  readonly measurement: Measurement;
  readonly reason: string;
  /** `undefined` if they were not asked. */
  readonly limits?: InlineLimits;
  /** The descriptor must have fewer tokens. */
  readonly worthTokens?: number;
}

/** What led to the descriptor of a stored output. */
export type StoreReason = Omit<LeaveDecision, "action" | "limits">;

/** How far a call came. */
export interface SoFar {
  payload?: Payload;
  decision?: Decision;
}

/** A result that was inline, which leaves the conversation. */
export interface InlineResult extends Pick<
  ToolOutput,
  "toolName" | "toolCallId" | "args" | "sessionId" | "tags"
> {
  readonly text: string;
  readonly id?: string | undefined;
  readonly isOnlyCopy: boolean;
  /** Whether it has been cleaned; a second time could change it. */
  readonly isClean?: boolean;
  /** Shortest lifetime in milliseconds. */
  readonly lifeMs?: number | undefined;
}

/** Stores it as it came. @throws {@link OffloadError} with code `STORE_WRITE_FAILED`; {@link CleanFault} */
export type KeepResult = (result: InlineResult) => Promise<{
  readonly storedArtifact: StoredArtifact;
  /** The cleaned text. */
  readonly text: string;
  readonly content: Content;
}>;
