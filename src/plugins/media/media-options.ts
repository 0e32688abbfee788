import * as z from "zod";

import type { MediaKind } from "../../core/types/media.js";
import { oneOf, optionsOf, size } from "../../util/option-rules.js";

/** What is done with images, sounds, documents and other files in tool outputs. */
export interface MediaOptions {
  /**
   * Largest block that stays in the message, in bytes once it is decoded; one of exactly this size stays.
   *
   * @remarks Set it when the model should see small images at once, or none at all: `{ bytes: 0 }` stores every one.
   * @defaultValue `{ bytes: 65_536 }`, 64 KiB
   */
  readonly threshold?: { readonly bytes: number };
  /**
   * What the model can be shown by `view_tool_output`: `"auto"` follows `model.profile` (`imageInputs`, `pdfInputs`,
   * `audioInputs`, `videoInputs`), and is nothing where a model has none; or a list of kinds; `[]` for nothing.
   *
   * @remarks Set it when the model has no profile, as behind a proxy, or its provider takes in tool messages less than in others.
   * @defaultValue `"auto"`
   */
  readonly views?: "auto" | readonly Exclude<MediaKind, "file">[];
}

/** The same after defaults. */
export type ResolvedMediaOptions = Required<MediaOptions>;

const kinds = z.array(z.enum(["image", "audio", "video", "pdf"]));

/** The rule of the option `media`. */
export const mediaSchema: z.ZodType = oneOf(
  [
    z.boolean(),
    optionsOf({
      threshold: optionsOf({ bytes: size }).optional(),
      views: oneOf(
        [z.enum(["auto"]), kinds],
        '"auto", or a list of "image", "audio", "video" and "pdf"',
      ).optional(),
    }),
  ],
  "true, false, or { threshold, views }",
);

/** `undefined` where media stay as they are. */
export function resolveMedia(
  given: MediaOptions | boolean | undefined,
): ResolvedMediaOptions | undefined {
  if (given === undefined || given === false) return undefined;
  const { threshold = { bytes: 65_536 }, views = "auto" } = given === true ? {} : given;
  return { threshold, views };
}
