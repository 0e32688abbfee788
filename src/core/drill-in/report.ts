import { emit, type OffloadListener } from "../types/events.js";
import type { TokenMeasure } from "../measure/measure.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { DrillInToolNames } from "../types/result.js";
import type { DrillInAnswer } from "./shared/answer/answer.js";
import type { DrillInAnswerInfo } from "./shared/answer/answer-info.js";

/** What was read past the drill-ins, and the text that it gave. */
export interface OtherAnswer extends Omit<DrillInAnswerInfo, "answerTokens"> {
  readonly text: string;
}

/** A call of a drill-in, when it has its answer. */
interface AnsweredCall {
  readonly args: unknown;
  readonly toolCallId: string | undefined;
  readonly scope: string;
  readonly durationMs: number;
}

/** Tells of answers whoever asked to be told. */
interface Report {
  /** Of an answer of a drill-in. */
  answered(tool: string, call: AnsweredCall, answer: DrillInAnswer): void;
  /** Of another, which is counted first. Never rejects. */
  other(answer: OtherAnswer): Promise<void>;
}

/** Tells that a result is in the context again which had left it, where a reading gave one back. */
export function tellRestored(
  listeners: readonly (OffloadListener | undefined)[],
  { id, wasInline }: Pick<StoredArtifact, "id" | "wasInline">,
  scope: string,
  { failed, tokens: answerTokens }: Pick<DrillInAnswer, "failed" | "tokens">,
): void {
  if (wasInline !== true || failed) return;
  for (const listener of listeners) {
    emit(listener, { type: "restored", artifactId: id, scope, answerTokens });
  }
}

/** Creates reports to `onAnswer`; what that throws is ignored. */
export function createReport(
  measure: TokenMeasure,
  names: DrillInToolNames,
  onAnswer: ((info: DrillInAnswerInfo) => void) | undefined,
): Report {
  return {
    answered(tool, { args, toolCallId, ...where }, answer) {
      const { artifactId, otherArtifactIds, failed, text, tokens: answerTokens } = answer;
      const about = { artifactId, ...(otherArtifactIds && { otherArtifactIds }) };
      const name = names[tool];
      const call = { args, toolCallId, text };
      emit(onAnswer, { tool, name, ...about, ...where, answerTokens, failed, call });
    },
    async other({ text, ...info }) {
      try {
        emit(onAnswer, { ...info, answerTokens: (await measure.count(text)).tokens });
      } catch {
        // An answer that cannot be counted is an answer all the same.
      }
    },
  };
}
