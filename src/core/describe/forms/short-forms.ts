import { setPath } from "../../content/json/sets/set-names.js";
import { bareGuidance, guide, textGuidance } from "../guidance.js";
import { CURSOR_CHARACTERS } from "../next-page.js";
import { outlineLines } from "../outlines/outline.js";
import { previewOf } from "../preview.js";
import type { FormInput, Rendering } from "../describer.js";
import { documentSets } from "../../types/content.js";
import { safeJson, shorten } from "../../../util/safe-text.js";
import { baseSummary, titleOf } from "../summary.js";

const SHOWN_SETS = 2;
const MAX_PATH_CHARACTERS = 32;
/** An outline of this length says enough without an excerpt, in UTF-16 units. */
const ENOUGH_CHARACTERS = 300;
const MAX_ALONE_CHARACTERS = 800;
const MAX_BESIDE_CHARACTERS = 400;

export function textForm(input: FormInput, maxCharacters: number): Rendering {
  const { storedArtifact, content, nextPage } = input;
  const outline = input.outline === undefined ? [] : outlineLines(input.outline, maxCharacters);
  const taken = outline.join("----").length;
  const most = taken === 0 ? MAX_ALONE_CHARACTERS : MAX_BESIDE_CHARACTERS;
  const left = Math.min(maxCharacters - taken, most);
  const isRoom = left > 0 && taken < ENOUGH_CHARACTERS;
  const preview = isRoom ? previewOf(content, storedArtifact, left) : {};
  const guidance = textGuidance(input, outline.length > 0, preview.preview !== undefined);
  return {
    form: "text",
    render: (reference) =>
      safeJson({
        offloaded: true,
        summary: {
          ...baseSummary(storedArtifact),
          size_bytes: storedArtifact.sizeBytes,
          lines: storedArtifact.lineCount,
          ...nextPage.summary(CURSOR_CHARACTERS),
        },
        file_path: reference,
        ...(outline.length > 0 && { outline }),
        ...preview,
        guidance: guide(input, guidance),
      }),
  };
}

export function bareForm(input: FormInput, cursorCharacters: number): Rendering {
  const { storedArtifact, content, nextPage } = input;
  const sets = documentSets(content);
  const recordsAt = sets
    ?.slice(0, SHOWN_SETS)
    .map((set) => `${shorten(setPath(set), MAX_PATH_CHARACTERS)} (${set.count})`);
  const more = (sets?.length ?? 0) - SHOWN_SETS;
  if (more > 0) recordsAt?.push(`and ${more} more`);
  return {
    form: "bare",
    render: (reference) =>
      safeJson({
        offloaded: true,
        summary: {
          ...(content.records === undefined
            ? { lines: storedArtifact.lineCount }
            : { count: storedArtifact.recordCount ?? 0 }),
          ...baseSummary(storedArtifact),
          ...nextPage.summary(cursorCharacters),
          ...(recordsAt && { records_at: recordsAt }),
        },
        file_path: reference,
        guidance: guide(input, bareGuidance(input), cursorCharacters),
      }),
  };
}

export function leastForm(input?: Pick<FormInput, "storedArtifact" | "nextPage">): Rendering {
  return {
    form: "bare",
    render: (reference) =>
      safeJson({
        offloaded: true,
        ...(input && titleOf(input.storedArtifact)),
        ...input?.nextPage.summary(CURSOR_CHARACTERS),
        file_path: reference,
      }),
  };
}
