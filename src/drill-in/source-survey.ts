import { isUtf8 } from "node:buffer";

import { openSource } from "./byte-reader.js";
import type { GrepJob, SourceSurvey, SurveyReply } from "./grep-job.js";
import { LineTooLongError, readLineBlocks } from "./line-blocks.js";

const RETURN = 13;
const OVERLONG: SourceSurvey = { hasOverlongLine: true, isUtf8: false, hasReturn: true };

/** Reads a source once for what decides who may search it. Gives up when its time is over. */
export function surveySource(job: GrepJob): SurveyReply {
  const deadline = performance.now() + job.softTimeoutMs;
  try {
    const source = openSource(job.source);
    try {
      let valid = true;
      let hasReturn = false;
      for (const block of readLineBlocks(source, job.maxLineBytes)) {
        if (performance.now() >= deadline) return { ok: false, message: "no time" };
        // A block ends at a line's end, so it splits no character.
        valid &&= isUtf8(block);
        hasReturn ||= block.includes(RETURN);
      }
      return { ok: true, survey: { hasOverlongLine: false, isUtf8: valid, hasReturn } };
    } finally {
      source.close();
    }
  } catch (error) {
    if (error instanceof LineTooLongError) return { ok: true, survey: OVERLONG };
    return { ok: false, message: String(error) };
  }
}
