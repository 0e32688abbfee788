import { createHash } from "node:crypto";

import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";

import type { TokenCounter } from "../tokens.js";
import { createPlaceholders, inTexts, withSteadyNames } from "./placeholders.js";
import type { Action, Turn } from "./seat-model.js";

/** What a tool answered, with placeholders for what a run draws anew. */
export interface Answered {
  /** All of it, or the beginning of a long one. */
  readonly text: string;
  /** Of all of it. */
  readonly digest: string;
  readonly tokens: number;
  readonly failed: boolean;
}

/** What the player of a task was shown, for a replay. */
export interface Transcript {
  /** Tokens of the tools' definitions. */
  readonly definitions: number;
  /** Of the tools that fetch the data. */
  readonly descriptors: readonly Answered[];
  /** Of the player's own calls, one after the other. */
  readonly answers: readonly Answered[];
  /** Input tokens of each step. */
  readonly steps: readonly number[];
}

/** Notes what is shown in one conversation and what is done. */
export interface TranscriptWriter {
  readonly show: (turn: Turn) => void;
  /** The action as it is recorded. */
  readonly masked: (action: Action) => Action;
  /** The action as this run takes it. */
  readonly unmasked: (action: Action) => Action;
  readonly transcript: () => Transcript;
}

/** Of a longer answer so much is recorded, in characters. */
const MAX_RECORDED_CHARACTERS = 20_000;

/** Begins a transcript of a conversation whose outputs are stored in a folder. */
export function writeTranscript(counter: TokenCounter, folder: string): TranscriptWriter {
  const { learn, mask, unmask } = createPlaceholders(folder);
  let first: readonly ToolMessage[] = [];
  let later: readonly ToolMessage[] = [];
  let definitions = 0;
  const steps: number[] = [];
  const count = (text: string): number => counter.count(withSteadyNames(mask(text)));
  const answered = (message: ToolMessage): Answered => {
    const text = mask(textOf(message));
    return {
      text: text.slice(0, MAX_RECORDED_CHARACTERS),
      digest: createHash("sha256").update(text).digest("hex").slice(0, 16),
      tokens: count(textOf(message)),
      failed: message.status === "error",
    };
  };
  return {
    show({ tools, messages }) {
      const texts = messages.flatMap(textsOf);
      texts.forEach(learn);
      definitions = tools.reduce(
        (sum, tool) => sum + count(JSON.stringify({ type: "function", function: tool })),
        0,
      );
      steps.push(texts.reduce((sum, text) => sum + count(text), definitions));
      const answers = messages.filter((message) => ToolMessage.isInstance(message));
      if (steps.length === 1) first = answers;
      later = answers.slice(first.length);
    },
    masked: (action) => inTexts(action, mask),
    unmasked: (action) => inTexts(action, unmask),
    transcript: () => ({
      definitions,
      descriptors: first.map(answered),
      answers: later.map(answered),
      steps: [...steps],
    }),
  };
}

function textsOf(message: BaseMessage): string[] {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return [textOf(message), ...calls.map(({ name, args }) => JSON.stringify({ name, args }))];
}

/** Without the lines of a stack, which LangChain puts into its own errors: they name this machine's folders. */
function textOf(message: BaseMessage): string {
  const isError = ToolMessage.isInstance(message) && message.status === "error";
  return isError ? message.text.replaceAll(/^ +at .*:\d+:\d+\)?\n/gm, "") : message.text;
}
