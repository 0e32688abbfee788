import type { Describer } from "../../../core/describe/describer.js";
import { suitedTools } from "../../../core/describe/guidance.js";
import { headAndTail } from "../../../core/describe/head-and-tail.js";
import { MAX_SHARE } from "../../../core/describe/most-of-output.js";
import { safeJson } from "../../../util/safe-text.js";
import { withStandIns } from "../../../core/describe/stand-in.js";
import { baseSummary } from "../../../core/describe/summary.js";

/** Most tokens that a stored message of the user has in the conversation. */
const MAX_TOKENS = 1_000;

/**
 * Writes what stands for a long message of the user: its beginning and its end as they are, because what the
 * user wants is said there, and between them, on a line of its own, the descriptor. Of at least 1,000 tokens, at
 * most 80 % are left, and never more than 1,000.
 */
export const describeUserMessage: Describer = async (input) => {
  const { storedArtifact, content, text, count, tools, parts = [] } = input;
  const { filePath, id, tokens, sizeBytes, headerBytes, lineCount } = storedArtifact;
  const names = suitedTools(storedArtifact, tools).join(", ");
  const reading = names === "" ? "" : ` Read it by file_path with ${names}.`;
  const between = (omittedBytes: number, isFramed = true): string =>
    safeJson({
      offloaded: true,
      summary: {
        ...baseSummary(storedArtifact),
        size_bytes: sizeBytes - headerBytes,
        lines: lineCount,
        omitted_bytes: omittedBytes,
        ...(content.complete === false && { complete: false }),
      },
      file_path: filePath ?? id,
      guidance: [
        isFramed
          ? "This stands for the middle of the user's message, which is too long to show; its beginning and its end are before and after this line."
          : "This stands for a message of the user.",
        `${content.complete === false ? "Of it, only the beginning came and is" : "The whole message is"} stored.${reading}`,
        ...parts.flatMap(({ guidance }) => guidance ?? []),
      ].join(" "),
    });
  const limit = { tokens: Math.min(MAX_TOKENS, Math.floor(MAX_SHARE * tokens)) };
  const { head, tail, droppedBytes } = await headAndTail({
    text,
    limit,
    // Random characters, such as those of the id, do not decide on what is left.
    count: async (left) => await count(withStandIns(left, storedArtifact)),
    leastCharacters: 0,
    notice: (dropped) => `\n\n${between(dropped)}\n\n`,
  });
  const middle = between(droppedBytes, head + tail !== "");
  const left = `${head.trimEnd()}\n\n${middle}\n\n${tail.trimStart()}`.trim();
  return { form: "text", text: left, tokens: await count(left) };
};
