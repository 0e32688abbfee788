import type { JsonObject } from "../../../util/is-record.js";
import { safeJson } from "../../../util/safe-text.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { Content } from "../../types/content.js";
import type { OwnForm } from "../../types/result.js";
import type { FormInput, Rendering } from "../describer.js";
import { guide, suitedTools, textGuidance } from "../guidance.js";
import { headOf, tailOf } from "../head-and-tail.js";
import { outlineLines } from "../outlines/outline.js";
import { baseSummary } from "../summary.js";

/** In UTF-16 units. */
const MAX_CHARACTERS = 1_200;
/** Such an outline needs no preview. */
const ENOUGH_CHARACTERS = 300;
const MAX_ALONE_CHARACTERS = 800;
const MAX_BESIDE_CHARACTERS = 400;

/** One JSON object, without members that are `undefined`. */
export function response(
  form: OwnForm,
  summary: object,
  members: (reference: string) => object,
): Rendering {
  const render = (reference: string) =>
    safeJson({ offloaded: true, summary, file_path: reference, ...members(reference) });
  return { form, render };
}

export function textForm(input: FormInput, share: number): Rendering {
  const { storedArtifact, content, nextPage } = input;
  const maxCharacters = Math.round(share * MAX_CHARACTERS);
  const outline = input.outline === undefined ? [] : outlineLines(input.outline, maxCharacters);
  const taken = outline.join("----").length;
  const most = taken === 0 ? MAX_ALONE_CHARACTERS : MAX_BESIDE_CHARACTERS;
  const left = Math.min(maxCharacters - taken, most);
  const isRoom = left > 0 && taken < ENOUGH_CHARACTERS;
  const preview = isRoom ? previewOf(content, storedArtifact, left) : {};
  const members = {
    outline: outline.length > 0 ? outline : undefined,
    ...preview,
    guidance: guide(input, textGuidance(input, outline.length > 0)),
  };
  const summary = {
    ...baseSummary(storedArtifact),
    size_bytes: storedArtifact.sizeBytes,
    lines: storedArtifact.lineCount,
    ...nextPage.summary,
  };
  return response("text", summary, () => members);
}

export function bareForm(input: FormInput): Rendering {
  const { storedArtifact, content, nextPage, tools } = input;
  const summary = {
    ...(content.records === undefined
      ? { lines: storedArtifact.lineCount }
      : { count: storedArtifact.recordCount }),
    ...baseSummary(storedArtifact, input.scoreRange),
    ...nextPage.summary,
  };
  const named = suitedTools(storedArtifact, tools).join(", ");
  const guidance =
    named === ""
      ? "The full output is stored under this file_path."
      : `The full output is stored; query it by file_path with ${named}.`;
  return response("bare", summary, () => ({ guidance: guide(input, guidance) }));
}

export function leastForm(about: object = {}): Rendering {
  const render = (reference: string) =>
    safeJson({ offloaded: true, ...about, file_path: reference });
  return { form: "bare", render };
}

const END_SHARE = 0.4;
const MIN_END_CHARACTERS = 60;
const UNIT_BYTES = 3;

/** Within `maxCharacters` UTF-16 units. Reads no more of the body than it needs. */
function previewOf(
  { kind, body }: Content,
  { sizeBytes, headerBytes }: StoredArtifact,
  maxCharacters: number,
): JsonObject {
  if (kind === "binary") return {};
  const isInReach = body.length >= sizeBytes - headerBytes;
  const text = decodeText(body.subarray(0, UNIT_BYTES * (maxCharacters + 2)));
  if (isInReach && text.length <= maxCharacters) return { preview: text };
  const share = Math.floor(maxCharacters * END_SHARE);
  const endCharacters = isInReach && share >= MIN_END_CHARACTERS ? share : 0;
  const preview = `${headOf(text, maxCharacters - endCharacters - 1)}…`;
  if (endCharacters === 0) return { preview };
  const end = decodeText(body.subarray(-UNIT_BYTES * endCharacters)).replace(/^\uFFFD+/, "");
  const tail = tailOf(end, Math.min(endCharacters - 1, end.length));
  return { preview, preview_end: `…${tail.trimEnd()}` };
}
