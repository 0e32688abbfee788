import type { InlineLimits } from "../decide/gate.js";
import type { Describer } from "../describe/describer.js";
import type { Notify, OffloadListener } from "../types/events.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { LaidOut } from "../store/lay-out.js";
import type { Content, Measurement } from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";

export interface Call {
  readonly output: ToolOutput;
  readonly sessionKey: string;
  readonly options: ResolvedToolOptions;
  readonly policy: SourcePolicy;
  readonly notify: Notify;
  readonly onEvent?: OffloadListener | undefined;
}

export interface Payload {
  readonly output: ToolOutput;
  /** `undefined` if the output has no text. */
  readonly text: string | undefined;
  readonly keptBlocks: readonly unknown[];
  readonly isWhole: boolean;
  /** With twice as much held; absent if all, or a large part, is held. @throws {@link StreamFault} */
  readonly more?: (() => Promise<Payload>) | undefined;
  readonly substitute?: ((set: unknown) => Payload) | undefined;
  /** Absent if the text is incomplete. Never rejects. */
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

interface Excerpt {
  readonly text: string;
  readonly missing?: { readonly bytes: number; readonly tailCharacters: number } | undefined;
  readonly measurement?: Measurement | undefined;
  readonly content?: Content | undefined;
}

export type Decision =
  | { readonly action: "pass-on" }
  | KeepDecision
  | { readonly action: "read-more"; readonly more: () => Promise<Payload> }
  | ShortenDecision
  | StoreDecision;

interface Over {
  readonly measurement: Measurement;
  readonly reason: string;
}

export interface KeepDecision {
  readonly action: "keep-inline";
  readonly measurement: Measurement;
}

export interface ShortenDecision extends Over {
  readonly action: "shorten";
  readonly limits: InlineLimits;
}

export interface StoreDecision extends Over {
  readonly action: "store";
  readonly worthTokens: number;
  readonly limitsIfLost: () => Promise<InlineLimits>;
}

export type Decide = (payload: Payload, call: Call) => Promise<Decision>;

export interface SourcePolicy {
  readonly admits: (output: ToolOutput, options: ResolvedToolOptions) => boolean;
  readonly isShort: (call: Call) => boolean;
  readonly select: (payload: Payload, options: ResolvedToolOptions) => Promise<Payload>;
  readonly decide: Decide;
  /** `undefined` for the usual forms. */
  readonly describer: (options: ResolvedToolOptions) => Describer | undefined;
  readonly recover: (error: unknown, so: SoFar) => Promise<OffloadResult>;
}

export interface SoFar {
  readonly call: Call;
  readonly payload: Payload | undefined;
  readonly decision: Decision | undefined;
  readonly encoded: EncodedOutput | undefined;
}
