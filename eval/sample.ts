import type { CorpusName } from "./corpus.js";
import type { ModelCall } from "./observer.js";
import type { QuestionKind } from "./question.js";

/** Which conversation it is: one question, put to one model in one arm. */
export interface SampleKey {
  readonly model: string;
  readonly arm: string;
  readonly corpus: CorpusName;
  /** Number of records. */
  readonly scale: number;
  /** Of the records and of the question. */
  readonly seed: number;
  readonly kind: QuestionKind;
  /** Input of one model call that was still sent, in tokens. */
  readonly windowTokens: number;
}

/**
 * How a conversation ended. `did-not-fit`: the next call would have been over the window, and was not made. `error`: no
 * result; the conversation is held again when the run is resumed.
 */
export type Outcome = "answered" | "turn-limit" | "did-not-fit" | "error";

/** One message as it is recorded; texts of tools are cut. */
export interface RecordedMessage {
  readonly role: string;
  readonly text: string;
  /** Of the whole text, where it was cut. */
  readonly characters?: number;
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown }[];
}

/** A line of the run file: one conversation, with all that the tables are made of. */
export interface Sample extends SampleKey {
  readonly version: typeof SAMPLE_VERSION;
  /** Of the packages that took part. */
  readonly versions: string;
  readonly prompt: string;
  readonly outcome: Outcome;
  readonly error?: string;
  /** The model's last message. */
  readonly reply: string;
  readonly calls: readonly ModelCall[];
  /** Input of the call that was not made, when it did not fit. */
  readonly refusedTokens?: number;
  /** Whether a tool output was replaced by a descriptor. */
  readonly offloaded: boolean;
  /** Different records of which the model was shown at least the id by a tool. */
  readonly recordsSeen: number;
  readonly durationMs: number;
  readonly messages: readonly RecordedMessage[];
}

/** Rises when a line of another version could not be scored. */
export const SAMPLE_VERSION = 1;

/** The same text for the same conversation. */
export function keyOf(key: SampleKey): string {
  const { model, arm, corpus, scale, seed, kind, windowTokens } = key;
  return JSON.stringify([model, arm, corpus, scale, seed, kind, windowTokens]);
}
