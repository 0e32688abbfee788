import type { DescriptorPart } from "../../types/result.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { Content } from "../../types/content.js";
import type { DrillInToolNames, OwnForm } from "../../types/result.js";
import type { GuidanceInput } from "../guidance.js";
import { CURSOR_CHARACTERS, type NextPage } from "../next-page.js";
import type { Outline } from "../outlines/outline.js";
import type { ContentProfile } from "../../profile/profile-document.js";
import { recordCountOf } from "../summary.js";

/** What every form is rendered from. */
export interface FormInput {
  readonly storedArtifact: StoredArtifact;
  readonly content: Content;
  readonly profile: ContentProfile | undefined;
  /** Of what has no records. */
  readonly outline: Outline | undefined;
  readonly tools: DrillInToolNames;
  readonly scoreRange: readonly [number, number] | undefined;
  /** What plug-ins add. */
  readonly parts?: readonly DescriptorPart[] | undefined;
  /** Whether the output is one page of more. */
  readonly nextPage: NextPage;
}

/** One way to write a descriptor. `reference` is what stands in `file_path` and in commands. */
export interface Rendering {
  readonly form: OwnForm;
  readonly render: (reference: string) => string;
}

/** What guidance is written from. */
export function guidanceInput(input: FormInput, reference: string): GuidanceInput {
  const { storedArtifact, content, tools } = input;
  const count = recordCountOf(storedArtifact, content);
  return { artifact: storedArtifact, count, reference, tools };
}

/** Guidance: what is missing, what leads to it, and what plug-ins add. */
export function guide(
  { parts = [], nextPage }: FormInput,
  guidance: string,
  cursorCharacters: number = CURSOR_CHARACTERS,
): string {
  return [nextPage.sentence(cursorCharacters), guidance, ...parts.map((part) => part.guidance)]
    .filter((sentence) => sentence)
    .join(" ");
}
