/** The nouns of the walk, beside those of the whole library in `types`. */
import type { InlineLimits } from "../decide/gate.js";
import type { Describer } from "../describe/describer.js";
import type { Notify, OffloadListener } from "../types/events.js";
import type { ResolvedToolOptions } from "../options/options.js";
import type { LaidOut } from "../store/lay-out.js";
import type { Content, Measurement } from "../types/content.js";
import type { ToolOutput } from "../types/output.js";
import type { OffloadResult } from "../types/result.js";

/** One output on its way, and by which door it came. */
export interface Call {
  readonly output: ToolOutput;
  /** The hashed session that it belongs to. */
  readonly scope: string;
  readonly options: ResolvedToolOptions;
  readonly door: Door;
  /** Tells all listeners. */
  readonly notify: Notify;
  /** The one among them that hears of this call alone. */
  readonly onEvent?: OffloadListener | undefined;
}

/** content: what is held of an output. A value is all there; of a stream, its beginning. */
export interface Payload {
  /** The output with what is held as its value. */
  readonly output: ToolOutput;
  /** What is judged and stored; `undefined` where there is no text at all. */
  readonly text: string | undefined;
  /** Images and files beside the text. */
  readonly keptBlocks: readonly unknown[];
  /** `false` while more of a stream can be read. */
  readonly isWhole: boolean;
  /** The same with twice as much held; absent where all is held, or so much that it counts as large. @throws {@link StreamFault} */
  readonly more?: (() => Promise<Payload>) | undefined;
  /** With a set in its place; absent where none can be: of a stream that is not all there as text. */
  readonly standIn?: ((set: unknown) => Payload) | undefined;
  /** Whether any record set is in it; absent where it is not all there as text. Never rejects. */
  readonly hasRecords?: (() => Promise<boolean>) | undefined;
  /** It as it will be stored; reads a stream to its end. @throws {@link StreamFault}, and where a stream cannot be kept */
  encode(): Promise<EncodedOutput>;
  /** What can be shown of it where nothing is stored. @throws {@link StreamFault} */
  excerpt(): Promise<Excerpt>;
  /** Lets go of a stream and of what was encoded. Never rejects. */
  close(): Promise<void>;
}

/** An output in the layout of its file. */
export interface EncodedOutput extends LaidOut {
  /** What a preview is made of: the text, or the beginning and the end of a stream. */
  readonly text: string;
  /** Of a stream, of which the verdict has seen only the beginning. */
  readonly measurement?: Measurement | undefined;
}

/** What is there to be shown of an output. */
interface Excerpt {
  readonly text: string;
  /** Of a stream, what `text` lacks: it is the beginning and, after `bytes` more, `tailCharacters`. */
  readonly missing?: { readonly bytes: number; readonly tailCharacters: number } | undefined;
  readonly measurement?: Measurement | undefined;
  /** What was found in a stream; what a text holds is not looked for here. */
  readonly content?: Content | undefined;
}

/** decide: what becomes of an output, and all that later steps need to know of why. */
export type Verdict =
  | { readonly action: "pass-on" }
  | KeptVerdict
  | { readonly action: "read-more"; readonly more: () => Promise<Payload> }
  | ShortenVerdict
  | StoreVerdict;

interface Over {
  readonly measurement: Measurement;
  /** Which rule made it leave. */
  readonly reason: string;
}

export interface KeptVerdict {
  readonly action: "keep-inline";
  readonly measurement: Measurement;
}

export interface ShortenVerdict extends Over {
  readonly action: "shorten";
  readonly limits: InlineLimits;
}

export interface StoreVerdict extends Over {
  readonly action: "store";
  /** A descriptor of so many tokens saves nothing. */
  readonly worthTokens: number;
  /** What holds for it where it cannot be stored: its own limits, or its share of the turn. */
  readonly limitsIfLost: () => Promise<InlineLimits>;
}

export type Decide = (payload: Payload, call: Call) => Promise<Verdict>;

/** What differs between a tool's result, a value put by code and a message of the user: values, not flags. */
export interface Door {
  /** Whether the output takes part at all. */
  readonly admits: (output: ToolOutput, options: ResolvedToolOptions) => boolean;
  /** Whether it stays by its length alone: nothing else of it is then looked at. */
  readonly isShort: (call: Call) => boolean;
  /** The whole of the set of which an answer is what a budget left, where the options name one. */
  readonly select: (payload: Payload, options: ResolvedToolOptions) => Promise<Payload>;
  readonly decide: Decide;
  /** Who writes the descriptor; `undefined` for the usual forms. */
  readonly describer: (options: ResolvedToolOptions) => Describer | undefined;
  /** What is given once something failed. */
  readonly recover: (error: unknown, so: SoFar) => Promise<OffloadResult>;
}

/** How far an output had come when something failed. */
export interface SoFar {
  readonly call: Call;
  readonly payload: Payload | undefined;
  readonly verdict: Verdict | undefined;
  readonly encoded: EncodedOutput | undefined;
}
